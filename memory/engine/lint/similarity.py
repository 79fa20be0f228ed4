"""Pairs of texts that say the same, in time that grows with the number of texts and not with its square.

Texts that were copied share runs of words: sketches of those runs bring copies into the same bucket, and each is held
against the first of its bucket. Texts that were written twice share rare words: pairs that have several in common are
compared by the weight of all their words.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from zlib import crc32

from memory.engine.lint.words import telling_words

RUN = 3
BINS = 16
BAND = 2
COPIED = 0.7
"""Share of runs in common."""
REWORDED = 0.6
"""Cosine of weighted words."""
RAREST = 10
"""Words of a text that are looked up."""
MOST_FREQUENT = 12
"""Texts that a word is in, to still be called rare."""
FEWEST_WORDS = 5
MOST_WORDS = 2_000


@dataclass(frozen=True, slots=True)
class Pair:
    first: int
    second: int
    similarity: float
    """Between 0 and 1."""


def similar_pairs(texts: Sequence[str]) -> list[Pair]:
    """In the order of the texts; of many that are alike, each is paired with the first."""
    words = [telling_words(text)[:MOST_WORDS] for text in texts]
    found = {(pair.first, pair.second): pair for pair in _copies(words)}
    for pair in _reworded(words):
        found.setdefault((pair.first, pair.second), pair)
    return [found[key] for key in sorted(found)]


def _copies(words: list[list[str]]) -> Iterator[Pair]:
    runs = [_runs(text) for text in words]
    buckets: dict[tuple[int, ...], int] = {}
    for at, mine in enumerate(runs):
        if len(words[at]) < FEWEST_WORDS:
            continue
        nearest = {buckets.setdefault(band, at) for band in _bands(mine)} - {at}
        best = max(((_shared(mine, runs[other]), -other) for other in nearest), default=(0.0, 0))
        if best[0] >= COPIED:
            yield Pair(-best[1], at, best[0])


def _runs(words: list[str]) -> frozenset[int]:
    return frozenset(crc32(" ".join(words[at : at + RUN]).encode()) for at in range(max(len(words) - RUN + 1, 1)))


def _bands(runs: frozenset[int]) -> Iterator[tuple[int, ...]]:
    least = [1 << 32] * BINS
    for run in runs:
        place = run & (BINS - 1)
        least[place] = min(least[place], run)
    for at in range(0, BINS, BAND):
        band = least[at : at + BAND]
        if min(band) < 1 << 32:
            yield (at, *band)


def _shared(one: frozenset[int], other: frozenset[int]) -> float:
    return len(one & other) / len(one | other)


def _reworded(words: list[list[str]]) -> Iterator[Pair]:
    vectors = _vectors(words)
    places: dict[str, list[int]] = defaultdict(list)
    for at, vector in enumerate(vectors):
        for word in sorted(vector, key=lambda word: (-vector[word], word))[:RAREST]:
            places[word].append(at)
    common: Counter[tuple[int, int]] = Counter()
    for texts in places.values():
        if len(texts) <= MOST_FREQUENT:
            common.update((one, other) for at, one in enumerate(texts) for other in texts[at + 1 :])
    for (one, other), shared in common.items():
        if shared > 1 and (alike := _cosine(vectors[one], vectors[other])) >= REWORDED:
            yield Pair(one, other, alike)


def _vectors(words: list[list[str]]) -> list[dict[str, float]]:
    """The words of each text with their weights, of length one. Short texts get none."""
    texts_with = Counter(word for text in words for word in set(text))
    weights = {word: math.log(1 + len(words) / count) for word, count in texts_with.items()}
    vectors = []
    for text in words:
        vector = {word: (1 + math.log(count)) * weights[word] for word, count in Counter(text).items()}
        length = math.sqrt(sum(weight * weight for weight in vector.values()))
        enough = len(vector) >= FEWEST_WORDS
        vectors.append({word: weight / length for word, weight in vector.items()} if enough else {})
    return vectors


def _cosine(one: dict[str, float], other: dict[str, float]) -> float:
    if len(one) > len(other):
        one, other = other, one
    return sum(weight * other[word] for word, weight in one.items() if word in other)
