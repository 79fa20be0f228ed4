"""Finds pairs of texts that say the same, in time proportional to the number of texts instead of its square.

Copied texts share runs of words: sketches of those runs put copies into the same bucket, and each is compared with the
first of its bucket. Texts that were written twice share rare words: pairs with several in common are compared by the
weight of all their words. Words are replaced by checksums, which are quick to compare and the same in every process.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice
from zlib import crc32

from memory.lint.engine.stems import significant_words

SKETCH = 8
"""Number of smallest hashes kept per text: texts that share one are compared."""
COPIED = 0.7
"""Minimum share of common runs."""
REWORDED = 0.6
"""Minimum cosine of weighted words."""
RAREST = 10
"""Rarest words of a text to look up."""
MOST_FREQUENT = 12
"""A word in more texts than that is not rare."""
FEWEST_WORDS = 5
MOST_WORDS = 2_000


@dataclass(frozen=True, slots=True)
class Pair:
    first: int
    second: int
    similarity: float
    """Between 0 and 1."""


def find_similar_pairs(texts: Sequence[str]) -> list[Pair]:
    """The pairs in the order of the texts. Of several similar texts, each is paired with the first."""
    numbers = _Checksums()
    words = [list(islice(chain.from_iterable(map(numbers.__getitem__, text.split())), MOST_WORDS)) for text in texts]
    pairs = {(pair.first, pair.second): pair for pair in _find_copies(words)}
    for pair in _find_reworded(words):
        pairs.setdefault((pair.first, pair.second), pair)
    return [pairs[key] for key in sorted(pairs)]


class _Checksums(dict[str, tuple[int, ...]]):
    """Checksums of the meaningful words in each part between two blanks. Each part is split once, however many texts
    contain it."""

    def __missing__(self, stretch: str) -> tuple[int, ...]:
        checksums = self[stretch] = tuple(crc32(word.encode()) for word in significant_words(stretch))
        return checksums


def _find_copies(words: list[list[int]]) -> Iterator[Pair]:
    first: dict[int, int] = {}
    for index, text in enumerate(words):
        if len(text) < FEWEST_WORDS:
            continue
        mine = _runs(text)
        nearest = {first.setdefault(least, index) for least in sorted(mine)[:SKETCH]} - {index}
        # Few texts have candidates, so their runs are computed again: all at once would not fit into memory.
        best = max(((_jaccard(mine, _runs(words[other])), -other) for other in nearest), default=(0.0, 0))
        if best[0] >= COPIED:
            yield Pair(-best[1], index, best[0])


def _runs(words: list[int]) -> frozenset[int]:
    """Hashes of all runs of three words."""
    return frozenset(map(hash, zip(words, words[1:], words[2:], strict=False)))


def _jaccard(first: frozenset[int], second: frozenset[int]) -> float:
    both = len(first & second)
    return both / (len(first) + len(second) - both)


def _find_reworded(words: list[list[int]]) -> Iterator[Pair]:
    texts_with = Counter(chain.from_iterable(map(set, words)))
    rare = {word: count for word, count in texts_with.items() if 1 < count <= MOST_FREQUENT}
    texts_by_word: dict[int, list[int]] = defaultdict(list)
    for index, mine in enumerate(map(set, words)):
        if len(mine) >= FEWEST_WORDS:
            for _, word in sorted((rare[word], word) for word in mine if word in rare)[:RAREST]:
                texts_by_word[word].append(index)
    common = Counter(chain.from_iterable(combinations(texts, 2) for texts in texts_by_word.values()))
    # Few texts are ever compared, so only theirs are weighed.
    weights = {word: math.log(1 + len(words) / count) for word, count in texts_with.items()}
    vectors: dict[int, dict[int, float]] = {}
    for (first, second), shared in common.items():
        if shared > 1:
            for index in (first, second):
                if index not in vectors:
                    vectors[index] = _vector(words[index], weights)
            if (alike := _cosine(vectors[first], vectors[second])) >= REWORDED:
                yield Pair(first, second, alike)


def _vector(text: list[int], weights: dict[int, float]) -> dict[int, float]:
    """The weighted words of a text, as a unit vector."""
    vector = {word: weights[word] * (1 + math.log(count)) for word, count in Counter(text).items()}
    length = math.sqrt(sum(weight * weight for weight in vector.values()))
    return {word: weight / length for word, weight in vector.items()}


def _cosine(first: dict[int, float], second: dict[int, float]) -> float:
    if len(first) > len(second):
        first, second = second, first
    return sum(weight * second[word] for word, weight in first.items() if word in second)
