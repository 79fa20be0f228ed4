"""What a person typed into the search box, as a query for either index, and the piece of text that answers it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from unicodedata import normalize

from sessions.search.engine.folding import folded_words
from sessions.secrets.engine import mask
from sessions.text.engine.invisible_characters import spell_invisible

TERM = re.compile(r'"([^"]*)"?|(\S+)')
WORD = re.compile(r"\w+")
_SPACE = re.compile(r"\s+")
AROUND = 90
LONG = 260
CONTEXT = 100
"""Characters before what is shown that may name it a secret: `password = ` and the like."""
LONGEST_SECRET = 4_096

Pieces = tuple[tuple[str, bool], ...]
"""Texts, and whether each was looked for."""


@dataclass(frozen=True, slots=True)
class Term:
    words: tuple[str, ...]
    """Words that stand next to each other."""
    prefix: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    text: str
    terms: tuple[Term, ...]

    @classmethod
    def of(cls, text: str) -> Query:
        """Words are joined by "and"; `"a b"` and `a_b` are phrases; `beg*` is a beginning."""
        terms = []
        # A letter and its accent may come as two characters, and would be taken for two words.
        for quoted, plain in TERM.findall(normalize("NFC", text)):
            # The index splits at everything that is no letter or digit, the underscore included.
            words = tuple(word for part in WORD.findall(quoted or plain) for word in part.split("_") if word)
            if words:
                terms.append(Term(words, prefix=bool(plain) and plain.endswith("*")))
        return cls(text, tuple(terms))

    def fts5(self) -> str:
        return " ".join('"' + " ".join(term.words) + '"' + ("*" if term.prefix else "") for term in self.terms)

    def tsqueries(self) -> list[str]:
        """One for each term: a long text is indexed in pieces, and its terms may stand in different ones."""
        return [
            " <-> ".join(f"'{word}'" for part in term.words for word in folded_words(part))
            + (":*" if term.prefix else "")
            for term in self.terms
        ]

    @lru_cache(maxsize=64)  # noqa: B019 - frozen, and a few at a time
    def pattern(self) -> re.Pattern[str]:
        """Finds any of the terms in the original text, whatever stands between the words of a phrase."""
        parts = []
        for term in sorted(self.terms, key=lambda one: -len(one.words)):
            body = r"[\W_]+".join(re.escape(word) for word in term.words)
            parts.append(rf"(?<![^\W_]){body}" + ("" if term.prefix else r"(?![^\W_])"))
        return re.compile("|".join(parts), re.IGNORECASE)


def snippet(text: str, query: Query) -> Pieces:
    """About two lines around the first match."""
    pattern = query.pattern()
    return excerpt(text, pattern, pattern.search(text, _before_first(text, query)))


def _before_first(text: str, query: Query) -> int:
    """Where to begin: a pattern that ignores case is slow, and the first of the words is found quickly."""
    lower = text.lower()
    if len(lower) != len(text):
        return 0  # then its places are not those of the text
    places = [lower.find(term.words[0].lower()) for term in query.terms]
    return min((place for place in places if place >= 0), default=0)


def excerpt(text: str, pattern: re.Pattern[str], first: re.Match[str] | None) -> Pieces:
    """About two lines from before the first match on, or from the start; secrets are masked, even those that were
    looked for."""
    at, length = (first.start(), first.end() - first.start()) if first else (0, 0)
    low = _gap_before(text, at - AROUND - CONTEXT)
    high = _gap_after(text, low, at + max(length + AROUND, LONG))
    masked = mask(text[low:high])
    at = len(mask(text[low:at])) if at > low else 0
    again = (pattern.search(masked, at) or pattern.search(masked)) if first else None
    at, length = (again.start(), again.end() - again.start()) if again else (min(at, len(masked)), 0)
    start = max(0, at - AROUND)
    end = min(len(masked), max(at + length + AROUND, start + LONG))
    return _pieces(masked[start:end], pattern, before=low + start > 0, after=high < len(text) or end < len(masked))


def _gap_before(text: str, at: int) -> int:
    """A secret must not be cut: the mask knows it by how it begins, and by what stands before it."""
    if at <= 0:
        return 0
    least = max(0, at - LONGEST_SECRET)
    key = text.rfind("-----BEGIN ", least, at)
    return key if key >= 0 else max(least, *(text.rfind(gap, least, at) for gap in " \n\t"))


def _gap_after(text: str, low: int, at: int) -> int:
    most = min(len(text), at + LONGEST_SECRET)
    gap = None if text.find("-----BEGIN ", low, at) >= 0 else _SPACE.search(text, at, most)
    return gap.start() if gap else most


def _pieces(text: str, pattern: re.Pattern[str], *, before: bool, after: bool) -> Pieces:
    found: list[tuple[str, bool]] = [("…", False)] if before else []
    at = 0
    for match in pattern.finditer(text):
        if match.end() == match.start():
            continue
        found.append((_flat(text[at : match.start()]), False))
        found.append((_flat(match.group()), True))
        at = match.end()
    found.append((_flat(text[at:]) + ("…" if after else ""), False))
    return tuple(piece for piece in found if piece[0])


def _flat(text: str) -> str:
    return spell_invisible(_SPACE.sub(" ", text))
