"""Agents whose records stand in the session's own file: which rows belong to which, where several wrote at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sessions.linking.engine import LinkRow
from sessions.transcripts.engine.marks import Mark


@dataclass(frozen=True, slots=True)
class Thread:
    """The rows that hang on one root."""

    root: int
    positions: tuple[int, ...]
    call: int | None
    """Position of the call that started it; None if no prompt says so."""

    @property
    def first(self) -> int:
        return self.positions[0]

    @property
    def last(self) -> int:
        return self.positions[-1]


def threads(rows: Iterable[LinkRow], marks: Sequence[Mark]) -> list[Thread]:
    """`rows`: all of sub-agents, in file order. `marks`: what linking found out about their calls."""
    roots: dict[int, int] = {}
    members: dict[int, list[int]] = {}
    waiting: dict[int, list[LinkRow]] = {}
    """Rows that stand before the row that they hang on, by its key."""
    rows = list(rows)
    known = {row.uuid for row in rows if row.uuid is not None}
    for row in rows:
        if row.parent in known and row.parent not in roots and row.parent != row.uuid:
            waiting.setdefault(row.parent or 0, []).append(row)
            continue
        _join(row, roots.get(row.parent or 0, row.position), roots, members, waiting)
    for left in [one for some in waiting.values() for one in some]:  # a ring: each of its rows stands alone
        members.setdefault(left.position, []).append(left.position)
    calls = _calls(marks)
    return [
        Thread(root, tuple(sorted(some)), next((calls[at] for at in sorted(some) if at in calls), None))
        for root, some in sorted(members.items())
    ]


def _join(
    row: LinkRow, root: int, roots: dict[int, int], members: dict[int, list[int]], waiting: dict[int, list[LinkRow]]
) -> None:
    joined = [row]
    while joined:
        one = joined.pop()
        members.setdefault(root, []).append(one.position)
        if one.uuid is not None:
            roots[one.uuid] = root
            joined += waiting.pop(one.uuid, [])


def _calls(marks: Sequence[Mark]) -> dict[int, int]:
    return {position: mark.by for mark in marks if mark.by is not None for position in range(mark.first, mark.last + 1)}
