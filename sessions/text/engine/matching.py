"""Finds what two sequences have in common: both ends, and lines that are unique on each side and in the same order."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

Pair = tuple[int, int]


def common_ends(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """How many lines both sides have in common at the start, and how many of the others at the end."""
    shorter = min(len(before), len(after))
    head = tail = 0
    while head < shorter and before[head] == after[head]:
        head += 1
    while tail < shorter - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    return head, tail


def unique_pairs(before: Sequence[str], after: Sequence[str]) -> list[Pair]:
    """The indexes of lines that are unique on each side, as many as are in the same order."""
    once = {line for line, count in Counter(before).items() if count == 1}
    counts = Counter(after)
    indexes = {line: index for index, line in enumerate(after) if counts[line] == 1 and line in once}
    return longest_increasing([(index, indexes[line]) for index, line in enumerate(before) if line in indexes])


def longest_increasing(pairs: Sequence[Pair]) -> list[Pair]:
    """The longest series of pairs, sorted by their first number, whose second number rises too."""
    ends: list[int] = []
    chain: list[int] = []
    back: list[int] = []
    for number, (_, second) in enumerate(pairs):
        place = bisect_left(ends, second)
        back.append(chain[place - 1] if place else -1)
        ends[place : place + 1] = [second]
        chain[place : place + 1] = [number]
    increasing = []
    last = chain[-1] if chain else -1
    while last >= 0:
        increasing.append(pairs[last])
        last = back[last]
    return increasing[::-1]
