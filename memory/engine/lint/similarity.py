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
from operator import itemgetter
from zlib import crc32

from memory.engine.lint.words import telling_words

SKETCH = 8
"""The least hashes of a text's runs: texts that share one are compared."""
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
    numbers = {word: crc32(word.encode()) for word in {word for text in words for word in text}}
    runs = [_runs([numbers[word] for word in text]) for text in words]
    first: dict[int, int] = {}
    for at, mine in enumerate(runs):
        if len(words[at]) < FEWEST_WORDS:
            continue
        nearest = {first.setdefault(least, at) for least in sorted(mine)[:SKETCH]} - {at}
        best = max(((_shared(mine, runs[other]), -other) for other in nearest), default=(0.0, 0))
        if best[0] >= COPIED:
            yield Pair(-best[1], at, best[0])


def _runs(words: list[int]) -> frozenset[int]:
    """Hashes of all runs of three words. Those of numbers are the same in every process."""
    return frozenset(map(hash, zip(words, words[1:], words[2:], strict=False)))


def _shared(one: frozenset[int], other: frozenset[int]) -> float:
    return len(one & other) / len(one | other)


def _reworded(words: list[list[str]]) -> Iterator[Pair]:
    texts_with = Counter(word for text in words for word in set(text))
    weights = {word: math.log(1 + len(words) / count) for word, count in texts_with.items()}
    vectors = [_vector(text, weights) for text in words]
    places: dict[str, list[int]] = defaultdict(list)
    for at, vector in enumerate(vectors):
        rare = [(word, weight) for word, weight in vector.items() if 1 < texts_with[word] <= MOST_FREQUENT]
        for word, _ in sorted(rare, key=itemgetter(1), reverse=True)[:RAREST]:
            places[word].append(at)
    common = Counter(
        (one, other) for texts in places.values() for at, one in enumerate(texts) for other in texts[at + 1 :]
    )
    for (one, other), shared in common.items():
        if shared > 1 and (alike := _cosine(vectors[one], vectors[other])) >= REWORDED:
            yield Pair(one, other, alike)


def _vector(text: list[str], weights: dict[str, float]) -> dict[str, float]:
    """The words of a text with their weights; none of a short one."""
    counts = Counter(text)
    if len(counts) < FEWEST_WORDS:
        return {}
    return {word: weights[word] * (1 + math.log(count) if count > 1 else 1) for word, count in counts.items()}


def _cosine(one: dict[str, float], other: dict[str, float]) -> float:
    if len(one) > len(other):
        one, other = other, one
    return sum(weight * other[word] for word, weight in one.items() if word in other) / (_length(one) * _length(other))


def _length(vector: dict[str, float]) -> float:
    return math.sqrt(sum(weight * weight for weight in vector.values()))
