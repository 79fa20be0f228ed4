"""Parses search queries for both databases, and makes snippets of the texts that match."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from unicodedata import normalize

from sessions.search.engine.word_folding import fold_words
from sessions.secrets.engine import mask
from sessions.text.engine.invisible_characters import spell_invisible

TERM = re.compile(r'"([^"]*)"?|(\S+)')
WORD = re.compile(r"\w+")
_SPACE = re.compile(r"\s+")
CHARS_AROUND_MATCH = 90
MIN_LENGTH = 260
CONTEXT = 100
"""Characters before a snippet that may mark it as a secret, such as `password = `."""
LONGEST_SECRET = 4_096

Pieces = tuple[tuple[str, bool], ...]
"""Texts, and whether each is a match."""


@dataclass(frozen=True, slots=True)
class Term:
    words: tuple[str, ...]
    """Words that must follow each other."""
    prefix: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    text: str
    terms: tuple[Term, ...]

    @classmethod
    def of(cls, text: str) -> Query:
        """Words are joined by "and"; `"a b"` and `a_b` are phrases; `beg*` is a beginning."""
        terms = []
        # A letter and its accent may be two characters, which would be split into two words.
        for quoted, plain in TERM.findall(normalize("NFC", text)):
            # The index splits at all characters but letters and digits, so also at underscores.
            words = tuple(word for part in WORD.findall(quoted or plain) for word in part.split("_") if word)
            if words:
                terms.append(Term(words, prefix=bool(plain) and plain.endswith("*")))
        return cls(text, tuple(terms))

    def fts5(self) -> str:
        return " ".join('"' + " ".join(term.words) + '"' + ("*" if term.prefix else "") for term in self.terms)

    def tsqueries(self) -> list[str]:
        """One for each term: long texts are indexed in pieces, and terms may be in different pieces."""
        return [
            " <-> ".join(f"'{word}'" for part in term.words for word in fold_words(part))
            + (":*" if term.prefix else "")
            for term in self.terms
        ]

    @lru_cache(maxsize=64)  # noqa: B019 - frozen, and a few at a time
    def pattern(self) -> re.Pattern[str]:
        """Finds any of the terms in the original text, with any characters between the words of a phrase."""
        parts = []
        for term in sorted(self.terms, key=lambda term: -len(term.words)):
            body = r"[\W_]+".join(re.escape(word) for word in term.words)
            parts.append(rf"(?<![^\W_]){body}" + ("" if term.prefix else r"(?![^\W_])"))
        return re.compile("|".join(parts), re.IGNORECASE)


def make_snippet(text: str, query: Query) -> Pieces:
    """About two lines around the first match."""
    pattern = query.pattern()
    return make_excerpt(text, pattern, pattern.search(text, _find_search_start(text, query)))


def _find_search_start(text: str, query: Query) -> int:
    """A position before the first match, found quickly, because patterns that ignore case are slow."""
    lower = text.lower()
    if len(lower) != len(text):
        return 0  # then positions differ from those in the text
    positions = [lower.find(term.words[0].lower()) for term in query.terms]
    return min((position for position in positions if position >= 0), default=0)


def make_excerpt(text: str, pattern: re.Pattern[str], first: re.Match[str] | None) -> Pieces:
    """About two lines around the first match, or from the start. Secrets are masked, even if they match."""
    position, length = (first.start(), first.end() - first.start()) if first else (0, 0)
    low = _gap_before(text, position - CHARS_AROUND_MATCH - CONTEXT)
    high = _gap_after(text, low, position + max(length + CHARS_AROUND_MATCH, MIN_LENGTH))
    masked = mask(text[low:high])
    position = len(mask(text[low:position])) if position > low else 0
    match = (pattern.search(masked, position) or pattern.search(masked)) if first else None
    position, length = (match.start(), match.end() - match.start()) if match else (min(position, len(masked)), 0)
    start = max(0, position - CHARS_AROUND_MATCH)
    end = min(len(masked), max(position + length + CHARS_AROUND_MATCH, start + MIN_LENGTH))
    return _split_at_matches(
        masked[start:end], pattern, before=low + start > 0, after=high < len(text) or end < len(masked)
    )


def _gap_before(text: str, position: int) -> int:
    """A position before which the text can be cut without cutting a secret, which is known by its beginning."""
    if position <= 0:
        return 0
    lowest = max(0, position - LONGEST_SECRET)
    key = text.rfind("-----BEGIN ", lowest, position)
    return key if key >= 0 else max(lowest, *(text.rfind(gap, lowest, position) for gap in " \n\t"))


def _gap_after(text: str, low: int, position: int) -> int:
    highest = min(len(text), position + LONGEST_SECRET)
    gap = None if text.find("-----BEGIN ", low, position) >= 0 else _SPACE.search(text, position, highest)
    return gap.start() if gap else highest


def _split_at_matches(text: str, pattern: re.Pattern[str], *, before: bool, after: bool) -> Pieces:
    pieces: list[tuple[str, bool]] = [("…", False)] if before else []
    position = 0
    for match in pattern.finditer(text):
        if match.end() == match.start():
            continue
        pieces.append((_flatten(text[position : match.start()]), False))
        pieces.append((_flatten(match.group()), True))
        position = match.end()
    pieces.append((_flatten(text[position:]) + ("…" if after else ""), False))
    return tuple(piece for piece in pieces if piece[0])


def _flatten(text: str) -> str:
    return spell_invisible(_SPACE.sub(" ", text))
