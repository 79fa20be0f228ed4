"""The longest increasing subsequence: what has the same order on both sides."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence


def longest_increasing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The most pairs, of those sorted by their first number, whose second number rises as well."""
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
