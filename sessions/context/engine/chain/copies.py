"""Answers that were written twice. A client that reads a session again may write part of it anew, with other uuids: the
same answer then stands in the file once for each time, and one of them is sent."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from sessions.linking.engine.rows import LinkRow

OnChain = Callable[[int], bool]


@dataclass(slots=True)
class Copies:
    _begins: dict[int, list[int]] = field(default_factory=dict)
    """Answer -> the positions at which it begins once more."""

    def __contains__(self, message: int) -> bool:
        return message in self._begins

    def begin(self, message: int, position: int) -> None:
        self._begins.setdefault(message, []).append(position)

    def mine(self, message: int, answer: Sequence[int], on_chain: OnChain) -> list[int]:
        """Those rows of an answer that were written together with one that is on the chain."""
        begins = self._begins[message]
        times = {bisect_right(begins, position) for position in answer if on_chain(position)}
        return [position for position in answer if bisect_right(begins, position) in times]


def one_of_each(results: Sequence[int], rows: Mapping[int, LinkRow], on_chain: OnChain) -> list[int]:
    """One result for each call: that on the chain, else the newest."""
    kept: dict[int | None, int] = {}
    for position in results:
        tool = rows[position].tool
        if tool not in kept or not on_chain(kept[tool]):
            kept[tool] = position
    return sorted(kept.values())
