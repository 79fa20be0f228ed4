"""Compactions in the middle of a turn. 2.1.90 gives the next answer the last record before the boundary as its parent,
although the request was made from the summary."""

from __future__ import annotations

from dataclasses import dataclass

from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.flags import Flag

_SIDECHAIN, _SUMMARY = int(Flag.SIDECHAIN), int(Flag.SUMMARY)


@dataclass(slots=True)
class MidTurnBoundary:
    _latest: LinkRow | None = None
    """The newest row of the main conversation."""
    _row_before_boundary: LinkRow | None = None
    """The newest row when the boundary was written, until an answer follows."""
    _boundary: int | None = None
    _summary: int | None = None

    def feed(self, row: LinkRow) -> int | None:
        """Take a row of the conversation, and return the row that it follows."""
        if row.flags & _SIDECHAIN:
            return row.parent
        if row.type == "user":
            if row.flags & _SUMMARY:
                self._summary = row.uuid
            else:
                self._latest = row
            return row.parent
        parent = row.parent if self._row_before_boundary is None else self.parent_of(row)
        self._latest, self._row_before_boundary = row, None
        return parent

    @property
    def newest(self) -> LinkRow | None:
        """The newest row of the main conversation."""
        return self._latest

    @property
    def is_open(self) -> bool:
        """Is the newest boundary still without an answer after it?"""
        return self._row_before_boundary is not None

    def feed_boundary(self, boundary: LinkRow) -> None:
        """Nothing before this boundary is sent any more."""
        self._row_before_boundary, self._boundary, self._summary = self._latest, boundary.uuid, None

    def parent_of(self, row: LinkRow) -> int | None:
        """The parent; or the summary, for an answer whose parent is from before the boundary."""
        ended = self._row_before_boundary
        if ended is None or row.type != "assistant" or row.parent != ended.uuid or row.parent is None:
            return row.parent
        goes_on = row.message is not None and row.message == ended.message
        return row.parent if goes_on or row.flags & _SIDECHAIN else self._summary or self._boundary
