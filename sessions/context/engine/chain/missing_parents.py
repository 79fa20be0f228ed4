"""Rows whose parent is not in the file. Some versions make a hook part of the chain without writing it down. The
conversation then continues from the row before in the file."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.flags import Flag

_SIDECHAIN = int(Flag.SIDECHAIN)


@dataclass(slots=True)
class MissingParents:
    _row_before: dict[int, int | None] = field(default_factory=dict)
    """A row whose parent was not fed -> the row before it in the file."""
    _awaited: set[int] = field(default_factory=set)
    """These parents, which may still come."""
    _latest: dict[int, int] = field(default_factory=dict)
    """The newest row, of the main thread (0) and of sub-agents in the same file."""

    def feed(self, row: LinkRow, uuid: int, *, parent_is_fed: bool) -> bool:
        """Returns whether this row is a parent that was missing."""
        sidechain = row.flags & _SIDECHAIN
        if row.parent is not None and not parent_is_fed:
            self._row_before[uuid] = self._latest.get(sidechain)
            self._awaited.add(row.parent)
        self._latest[sidechain] = uuid
        if uuid not in self._awaited:
            return False
        self._awaited.remove(uuid)
        return True

    @property
    def rows(self) -> Collection[int]:
        return self._row_before

    @property
    def latest(self) -> int | None:
        return self._latest.get(0)

    def before(self, uuid: int) -> int | None:
        return self._row_before.get(uuid)
