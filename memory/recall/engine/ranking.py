"""The local ranker, which chooses where no model is asked: BM25F over name, description and body. It knows words, not
meanings, so it also says which words decided."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from memory.lint.engine.stems import STOPWORDS, stem
from memory.recall.engine.choice import MOST_CHOSEN, Choice, ChosenMemory

RANKER = "BM25 (local ranker)"
K1 = 1.2
B = 0.75
WEIGHTS = {"name": 3, "description": 2, "body": 1}
"""A word in the name counts as much as three in the body."""
SHARE_OF_BEST = 0.25
"""A memory that scores less than this part of the best score is left out."""
_TERM = re.compile(r"[^\W_]+")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_FILLER_WORDS = (
    "about also could get give going got here just know let like look make me my need now please see set some thing "
    "think those want way well would"
)
_FILLERS = frozenset(_FILLER_WORDS.split())
"""Words that say nothing about the topic of a message."""


@dataclass(frozen=True, slots=True)
class Document:
    name: str
    title: str
    description: str
    body: str


@dataclass(frozen=True, slots=True)
class SharedWord:
    """A word that a memory shares with the message."""

    word: str
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RankedMemory:
    name: str
    score: float
    shared: tuple[SharedWord, ...]
    """The word that counts most comes first."""

    @property
    def fits(self) -> bool:
        """Two words in common, or one in name or description: a single word in a body may be chance."""
        return len(self.shared) > 1 or any({"name", "description"} & set(word.fields) for word in self.shared)

    @property
    def why(self) -> str:
        return "shares " + ", ".join(f"“{word.word}” ({', '.join(word.fields)})" for word in self.shared[:6])


class Ranker:
    """Built once for a directory, used for many messages. The length of each field is compared with the same field of
    the other documents, so that a long body does not outweigh the name."""

    def __init__(self, documents: Iterable[Document]) -> None:
        counted = {item.name: {field: Counter(terms(text)) for field, text in _texts(item)} for item in documents}
        self._count = len(counted)
        self._fields: dict[str, dict[str, list[str]]] = {name: {} for name in counted}
        self._weights: dict[str, dict[str, float]] = {}
        """By term and name."""
        for field, weight in WEIGHTS.items():
            average = sum(fields[field].total() for fields in counted.values()) / max(1, self._count) or 1.0
            for name, fields in counted.items():
                length = 1 - B + B * fields[field].total() / average
                for term, count in fields[field].items():
                    self._fields[name].setdefault(term, []).append(field)
                    weights = self._weights.setdefault(term, {})
                    weights[name] = weights.get(name, 0.0) + weight * count / length

    def rank(self, message: str, among: Collection[str]) -> list[RankedMemory]:
        """The memories that share a word with the message, best first."""
        query = {term: word for word, term in _words(message)}
        scores: dict[str, dict[str, float]] = {}
        for term in query:
            weights = self._weights.get(term, {})
            rarity = math.log(1 + (self._count - len(weights) + 0.5) / (len(weights) + 0.5))
            for name, weight in weights.items():
                if name in among:
                    scores.setdefault(name, {})[term] = rarity * weight * (K1 + 1) / (weight + K1)
        memories = [
            RankedMemory(name, sum(parts.values()), self._shared_words(name, parts, query))
            for name, parts in scores.items()
        ]
        return sorted(memories, key=lambda memory: (-memory.score, memory.name))

    def _shared_words(self, name: str, parts: Mapping[str, float], query: Mapping[str, str]) -> tuple[SharedWord, ...]:
        fields = self._fields[name]
        best = sorted(parts, key=lambda term: (-parts[term], term))
        return tuple(SharedWord(query[term], tuple(fields[term])) for term in best)

    def choose(self, message: str, among: Collection[str]) -> Choice:
        ranked = [memory for memory in self.rank(message, among) if memory.fits]
        least = ranked[0].score * SHARE_OF_BEST if ranked else 0.0
        fit = [memory for memory in ranked if memory.score >= least]
        return Choice(
            RANKER,
            tuple(ChosenMemory(memory.name, memory.why, memory.score) for memory in fit[:MOST_CHOSEN]),
            tuple(f"{memory.name}: more than {MOST_CHOSEN} fit better" for memory in fit[MOST_CHOSEN:]),
        )


def _texts(document: Document) -> tuple[tuple[str, str], ...]:
    stem = document.name.rpartition("/")[2].removesuffix(".md")
    name = stem if document.title == stem else f"{stem} {document.title}"
    return ("name", name), ("description", document.description), ("body", document.body)


def terms(text: str) -> list[str]:
    return [term for _, term in _words(text)]


def _words(text: str) -> Iterable[tuple[str, str]]:
    """Words with their stems. In scripts without spaces, every pair of neighbouring characters counts as a word."""
    for word in _TERM.findall(text.lower()):
        if not word.isascii() and _UNSPACED.search(word):
            yield from ((pair, pair) for pair in (word[index : index + 2] for index in range(max(1, len(word) - 1))))
        elif word not in STOPWORDS and word not in _FILLERS and (len(word) > 1 or word.isdigit()):
            yield word, stem(word)
