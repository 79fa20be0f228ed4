"""A query for raw transcripts: its longest word finds candidates, and the decoded text decides."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import stringzilla

from sessions.search.engine.snippets import TERM, WORD, Pieces, make_excerpt

FOLDED_BYTES = 3
"""A letter may take up to this many bytes in another case."""


@dataclass(frozen=True, slots=True)
class Needle:
    terms: tuple[str, ...]
    """Each must be somewhere in a record, in upper or lower case."""
    words: tuple[bytes, ...]
    """Forms of the longest word in a file: as it is, and escaped by writers that use only ASCII."""

    @classmethod
    def of(cls, text: str) -> Needle:
        terms = tuple(quoted or plain for quoted, plain in TERM.findall(text) if quoted.strip() or plain)
        words = [word for term in terms for word in WORD.findall(term)]
        if not words:
            return cls(terms, ())
        word = max(words, key=len)
        escaped = {word} if word.isascii() else {json.dumps(case)[1:-1] for case in (word, word.lower(), word.upper())}
        return cls(terms, tuple(sorted({word.encode(), *(form.encode() for form in escaped)})))

    @property
    def overlap(self) -> int:
        """Bytes of a block that are searched again with the next, because a match may lie across both."""
        return FOLDED_BYTES * max(map(len, self.words), default=1)

    def find(self, raw: bytes | memoryview) -> list[int]:
        """Offsets of all forms of the word, in upper or lower case."""
        offsets: list[int] = []
        for word in self.words:
            offset = stringzilla.utf8_uncased_search(raw, word)
            while offset >= 0:
                offsets.append(offset)
                offset = stringzilla.utf8_uncased_search(raw, word, offset + 1)
        return sorted(offsets)

    def find_text(self, record: object) -> str | None:
        """The string that contains the longest term, if the record contains every term."""
        texts = list(_strings(record))
        best: tuple[str, str] | None = None
        for term in self.terms:
            pattern = re.compile(re.escape(term), re.IGNORECASE)
            holder = next((text for text in texts if pattern.search(text)), None)
            if holder is None:
                return None
            if best is None or len(term) > len(best[0]):
                best = (term, holder)
        return best[1] if best else None

    def make_snippet(self, text: str) -> Pieces:
        pattern = re.compile("|".join(re.escape(term) for term in self.terms), re.IGNORECASE)
        return make_excerpt(text, pattern, pattern.search(text))


def _strings(value: object) -> list[str]:
    """Every string of a record, without recursion, because hostile records are nested deeply."""
    strings: list[str] = []
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            strings.append(item)
        elif isinstance(item, dict):
            stack.extend(reversed(item.values()))
        elif isinstance(item, list):
            stack.extend(reversed(item))
    return strings
