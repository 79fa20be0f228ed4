"""Separates the records of agents that are in the session's own file, where several may have written at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sessions.linking.engine import LinkRow
from sessions.transcripts.engine.marks import Mark


@dataclass(frozen=True, slots=True)
class Thread:
    """The rows that descend from one root."""

    root: int
    positions: tuple[int, ...]
    call: int | None
    """Position of the call that started it, if linking found one."""

    @property
    def first(self) -> int:
        return self.positions[0]

    @property
    def last(self) -> int:
        return self.positions[-1]


def find_threads(rows: Iterable[LinkRow], marks: Sequence[Mark]) -> list[Thread]:
    """`rows`: all rows of sub-agents, in file order. `marks`: the calls that linking found for them."""
    roots: dict[int, int] = {}
    members: dict[int, list[int]] = {}
    waiting: dict[int, list[LinkRow]] = {}
    """Rows that come before their parent, by the key of the parent."""
    rows = list(rows)
    uuids = {row.uuid for row in rows if row.uuid is not None}
    for row in rows:
        if row.parent in uuids and row.parent not in roots and row.parent != row.uuid:
            waiting.setdefault(row.parent or 0, []).append(row)
            continue
        _add_descendants(row, roots.get(row.parent or 0, row.position), roots, members, waiting)
    # Rows that are still waiting form rings; each becomes a thread of its own.
    for looped in [row for children in waiting.values() for row in children]:
        members.setdefault(looped.position, []).append(looped.position)
    calls = _call_positions(marks)
    return [
        Thread(root, tuple(sorted(positions)), next((calls[p] for p in sorted(positions) if p in calls), None))
        for root, positions in sorted(members.items())
    ]


def _add_descendants(
    row: LinkRow, root: int, roots: dict[int, int], members: dict[int, list[int]], waiting: dict[int, list[LinkRow]]
) -> None:
    pending = [row]
    while pending:
        current = pending.pop()
        members.setdefault(root, []).append(current.position)
        if current.uuid is not None:
            roots[current.uuid] = root
            pending += waiting.pop(current.uuid, [])


def _call_positions(marks: Sequence[Mark]) -> dict[int, int]:
    return {position: mark.by for mark in marks if mark.by is not None for position in range(mark.first, mark.last + 1)}
