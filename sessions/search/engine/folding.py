"""Words as a search index keeps them: runs of letters and digits, in small letters, without diacritics.

The same as the tokenizer `unicode61 remove_diacritics 2` of SQLite, for the index that has to be told its words."""

from __future__ import annotations

import re
import unicodedata

WORD = re.compile(r"[^\W_]+")
_MARKED = re.compile(r"([A-Za-z])[\u0300-\u036f]+")


def fold_words(text: str) -> list[str]:
    if not text.isascii():
        # Only Latin letters lose their marks. The others are composed again: a syllable of Hangul stays one letter.
        text = unicodedata.normalize("NFC", _MARKED.sub(r"\1", unicodedata.normalize("NFD", text)))
    return WORD.findall(text.lower().replace("ς", "σ"))
