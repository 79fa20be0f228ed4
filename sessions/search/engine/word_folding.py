"""Splits text into words as a search index keeps them: letters and digits, in lower case, without diacritics.

It does the same as the tokenizer `unicode61 remove_diacritics 2` of SQLite, for the index on PostgreSQL."""

from __future__ import annotations

import re
import unicodedata

WORD = re.compile(r"[^\W_]+")
_MARKED = re.compile(r"([A-Za-z])[\u0300-\u036f]+")


def fold_words(text: str) -> list[str]:
    if not text.isascii():
        # Only Latin letters lose their marks. Others are composed again, so that a Hangul syllable stays one letter.
        text = unicodedata.normalize("NFC", _MARKED.sub(r"\1", unicodedata.normalize("NFD", text)))
    return WORD.findall(text.lower().replace("ς", "σ"))
