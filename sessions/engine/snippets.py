"""What a person typed into the search box, as a query for either index, and the piece of text that answers it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from unicodedata import normalize

from sessions.engine.folding import folded_words

TERM = re.compile(r'"([^"]*)"?|(\S+)')
WORD = re.compile(r"\w+")
AROUND = 90
LONG = 260


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


def snippet(text: str, query: Query) -> tuple[tuple[str, bool], ...]:
    """About two lines around the first match, in pieces: (text, matched)."""
    pattern = query.pattern()
    first = pattern.search(text, _before_first(text, query))
    if first is None:
        cut = text[:LONG]
        return ((_flat(cut) + ("…" if len(text) > LONG else ""), False),) if cut else ()
    start = max(0, first.start() - AROUND)
    end = min(len(text), max(first.end() + AROUND, start + LONG))
    return pieces(text[start:end], pattern, before=start > 0, after=end < len(text))


def _before_first(text: str, query: Query) -> int:
    """Where to begin: a pattern that ignores case is slow, and the first of the words is found quickly."""
    lower = text.lower()
    if len(lower) != len(text):
        return 0  # then its places are not those of the text
    places = [lower.find(term.words[0].lower()) for term in query.terms]
    return min((place for place in places if place >= 0), default=0)


def pieces(
    text: str, pattern: re.Pattern[str], *, before: bool = False, after: bool = False
) -> tuple[tuple[str, bool], ...]:
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
    return _SPACE.sub(" ", text)


_SPACE = re.compile(r"\s+")
