"""What a person typed into the search box, as a query for either index, and the piece of text that answers it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

_TERM = re.compile(r'"([^"]*)"?|(\S+)')
_WORD = re.compile(r"\w+")
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
        for quoted, plain in _TERM.findall(text):
            # The index splits at everything that is no letter or digit, the underscore included.
            words = tuple(word for part in _WORD.findall(quoted or plain) for word in part.split("_") if word)
            if words:
                terms.append(Term(words, prefix=bool(plain) and plain.endswith("*")))
        return cls(text, tuple(terms))

    def fts5(self) -> str:
        return " ".join('"' + " ".join(term.words) + '"' + ("*" if term.prefix else "") for term in self.terms)

    def tsquery(self) -> str:
        parts = []
        for term in self.terms:
            words = [f"'{word}'" for word in term.words]
            if term.prefix:
                words[-1] += ":*"
            parts.append("(" + " <-> ".join(words) + ")")
        return " & ".join(parts)

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
    first = pattern.search(text)
    if first is None:
        cut = text[:LONG]
        return ((_flat(cut) + ("…" if len(text) > LONG else ""), False),) if cut else ()
    start = max(0, first.start() - AROUND)
    end = min(len(text), max(first.end() + AROUND, start + LONG))
    return pieces(text[start:end], pattern, before=start > 0, after=end < len(text))


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
    return re.sub(r"\s+", " ", text)


@dataclass(frozen=True, slots=True)
class Needle:
    """A query as bytes to look for in raw transcripts: one word of it finds candidates, the decoded text decides."""

    terms: tuple[str, ...]
    forms: tuple[bytes, ...]
    """How the rarest word may stand in the file; ASCII forms are compared in lower case."""

    @classmethod
    def of(cls, text: str) -> Needle:
        terms = tuple(quoted or plain for quoted, plain in _TERM.findall(text) if quoted.strip() or plain)
        words = [word for term in terms for word in _WORD.findall(term)]
        if not words:
            return cls(terms, ())
        word = max(words, key=len)
        if word.isascii():
            return cls(terms, (word.lower().encode(),))
        cases = {word, word.lower(), word.upper(), word.capitalize()}
        forms = {case.encode() for case in cases} | {json.dumps(case)[1:-1].encode() for case in cases}
        return cls(terms, tuple(sorted(form.lower() if form.isascii() else form for form in forms)))

    @property
    def longest(self) -> int:
        return max(map(len, self.forms), default=0)

    def find(self, raw: bytes) -> list[int]:
        found: list[int] = []
        lowered = None
        for form in self.forms:
            haystack = raw
            if form.isascii():
                lowered = raw.lower() if lowered is None else lowered
                haystack = lowered
            at = haystack.find(form)
            while at >= 0:
                found.append(at)
                at = haystack.find(form, at + 1)
        return sorted(found)

    def text_in(self, record: object) -> str | None:
        """The string of the record that shows the match, if every term stands somewhere in it."""
        texts: list[str] = []
        _strings(record, texts)
        best = None
        for term in self.terms:
            folded = term.lower()
            holder = next((text for text in texts if folded in text.lower()), None)
            if holder is None:
                return None
            if best is None or len(term) > len(best[0]):
                best = (term, holder)
        return best[1] if best else None

    def snippet(self, text: str) -> tuple[tuple[str, bool], ...]:
        pattern = re.compile("|".join(re.escape(term) for term in self.terms), re.IGNORECASE)
        first = pattern.search(text)
        start = max(0, first.start() - AROUND) if first else 0
        end = min(len(text), max(first.end() + AROUND if first else 0, start + LONG))
        return pieces(text[start:end], pattern, before=start > 0, after=end < len(text))


def _strings(value: object, into: list[str]) -> None:
    """Every string of a record, without recursion: records can be nested deeply on purpose."""
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, str):
            into.append(one)
        elif isinstance(one, dict):
            stack.extend(reversed(one.values()))
        elif isinstance(one, list):
            stack.extend(reversed(one))
