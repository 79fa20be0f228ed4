"""What is in one order on both sides."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence


def rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Of pairs that are sorted by their first, the most whose second rises as well."""
    ends: list[int] = []
    chain: list[int] = []
    back: list[int] = []
    for number, (_, second) in enumerate(pairs):
        place = bisect_left(ends, second)
        back.append(chain[place - 1] if place else -1)
        ends[place : place + 1] = [second]
        chain[place : place + 1] = [number]
    found = []
    last = chain[-1] if chain else -1
    while last >= 0:
        found.append(pairs[last])
        last = back[last]
    return found[::-1]
