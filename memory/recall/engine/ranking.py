"""The local ranker, which chooses where no model is asked: BM25 over name, description and body (in its form for
several fields). It knows words, not meanings, so it also says which words made it choose."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from memory.lint.engine.words import STOPWORDS, stem
from memory.recall.engine.choice import MOST_CHOSEN, Choice, ChosenMemory

RANKER = "BM25 (local ranker)"
K1 = 1.2
B = 0.75
WEIGHTS = {"name": 3, "description": 2, "body": 1}
"""A word in the name counts as much as three in the body."""
SHARE_OF_BEST = 0.25
"""What scores less beside the best one is left out."""
_TERM = re.compile(r"[^\W_]+")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_EMPTY = (
    "about also could get give going got here just know let like look make me my need now please see set some thing "
    "think those want way well would"
)
_ASIDE = frozenset(_EMPTY.split())
"""Words of messages that say nothing of what they are about."""


@dataclass(frozen=True, slots=True)
class Document:
    name: str
    title: str
    description: str
    body: str


@dataclass(frozen=True, slots=True)
class SharedWord:
    """A word of the message that a memory has."""

    word: str
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RankedMemory:
    name: str
    score: float
    shared: tuple[SharedWord, ...]
    """The one that counts most first."""

    @property
    def fits(self) -> bool:
        """Two words in common, or one that the name or the description has: a single word of a body may be chance."""
        return len(self.shared) > 1 or any({"name", "description"} & set(one.fields) for one in self.shared)

    @property
    def why(self) -> str:
        return "shares " + ", ".join(f"“{one.word}” ({', '.join(one.fields)})" for one in self.shared[:6])


class Ranker:
    """Made once for a directory, asked for many messages. Each field is measured against the same field of the others,
    so that a long body does not drown what the name says."""

    def __init__(self, documents: Iterable[Document]) -> None:
        counted = {one.name: {field: Counter(terms(text)) for field, text in _texts(one)} for one in documents}
        self._count = len(counted)
        self._fields: dict[str, dict[str, list[str]]] = {name: {} for name in counted}
        self._weights: dict[str, dict[str, float]] = {}
        """By term and name: how much of it there is."""
        for field, weight in WEIGHTS.items():
            average = sum(found[field].total() for found in counted.values()) / max(1, self._count) or 1.0
            for name, found in counted.items():
                long = 1 - B + B * found[field].total() / average
                for term, count in found[field].items():
                    self._fields[name].setdefault(term, []).append(field)
                    weights = self._weights.setdefault(term, {})
                    weights[name] = weights.get(name, 0.0) + weight * count / long

    def rank(self, message: str, among: Collection[str]) -> list[RankedMemory]:
        """Those that share anything with the message, the best first."""
        asked = {term: word for word, term in _words(message)}
        scores: dict[str, dict[str, float]] = {}
        for term in asked:
            weights = self._weights.get(term, {})
            rarity = math.log(1 + (self._count - len(weights) + 0.5) / (len(weights) + 0.5))
            for name, weight in weights.items():
                if name in among:
                    scores.setdefault(name, {})[term] = rarity * weight * (K1 + 1) / (weight + K1)
        found = [
            RankedMemory(name, sum(parts.values()), self._shared_words(name, parts, asked))
            for name, parts in scores.items()
        ]
        return sorted(found, key=lambda one: (-one.score, one.name))

    def _shared_words(self, name: str, parts: Mapping[str, float], asked: Mapping[str, str]) -> tuple[SharedWord, ...]:
        fields = self._fields[name]
        best = sorted(parts, key=lambda term: (-parts[term], term))
        return tuple(SharedWord(asked[term], tuple(fields[term])) for term in best)

    def choose(self, message: str, among: Collection[str]) -> Choice:
        ranked = [one for one in self.rank(message, among) if one.fits]
        least = ranked[0].score * SHARE_OF_BEST if ranked else 0.0
        fit = [one for one in ranked if one.score >= least]
        return Choice(
            RANKER,
            tuple(ChosenMemory(one.name, one.why, one.score) for one in fit[:MOST_CHOSEN]),
            tuple(f"{one.name}: more than {MOST_CHOSEN} fit better" for one in fit[MOST_CHOSEN:]),
        )


def _texts(document: Document) -> tuple[tuple[str, str], ...]:
    stem = document.name.rpartition("/")[2].removesuffix(".md")
    name = stem if document.title == stem else f"{stem} {document.title}"
    return ("name", name), ("description", document.description), ("body", document.body)


def terms(text: str) -> list[str]:
    return [term for _, term in _words(text)]


def _words(text: str) -> Iterable[tuple[str, str]]:
    """Words with what they are compared by. Where words are not set apart, each two characters that follow one another
    stand for one."""
    for word in _TERM.findall(text.lower()):
        if not word.isascii() and _UNSPACED.search(word):
            yield from ((pair, pair) for pair in (word[at : at + 2] for at in range(max(1, len(word) - 1))))
        elif word not in STOPWORDS and word not in _ASIDE and (len(word) > 1 or word.isdigit()):
            yield word, stem(word)
