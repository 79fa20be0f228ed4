"""Why the model did not see an entry: every entry that stands before a request and is not in it has a reason."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from sessions.context.engine.rendering.overlays import Overlays
from sessions.context.engine.request import Context
from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.marks import Fate, Mark

_ERROR, _SIDECHAIN = int(Flag.ERROR), int(Flag.SIDECHAIN)
_CLEARED = int(Flag.CLEARED)
_PUT_ASIDE = int(Flag.CLEARED | Flag.PERSISTED)
_TALK = frozenset({"user", "assistant"})


class Reason(StrEnum):
    SUMMARISED = "summarised"
    SNIPPED = "snipped"
    CLEARED = "cleared"
    """The entry is in the context, the text of its result is not."""
    PERSISTED = "persisted"
    """The same, with a preview and the path of a file in its place."""
    COLLAPSED = "collapsed"
    ABANDONED = "abandoned"
    """On a branch that this request does not stand on."""
    SIDECHAIN = "sub-agent"
    UNSENT = "never sent"
    """For the client or the person only; or of an answer, what the client does not send to this model."""


class LeftOut(NamedTuple):
    position: int
    reason: Reason
    by: int | None = None
    """The record that is the cause."""


def left_out(context: Context, rows: Iterable[LinkRow], marks: Sequence[Mark]) -> Iterator[LeftOut]:
    """`rows`: all those before the request; `marks`: of the whole session, as linking found them."""
    told = _Told(context, marks)
    for row in rows:
        if row.position >= context.position:
            return
        found = told.why(row)
        if found is not None:
            yield found


class _Told:
    def __init__(self, context: Context, marks: Sequence[Mark]) -> None:
        self._in = context.positions
        self._overlays: Overlays = context.overlays
        self._until = context.position
        self._start = context.start
        self._taken = context.taken
        self._emptied = context.emptied
        self._way = frozenset(position for part in context.parts for position in part.segment.positions)
        places = [mark for mark in marks if mark.fate in (Fate.SUMMARISED, Fate.KEPT, Fate.ABANDONED, Fate.COLLAPSED)]
        self._marks = sorted(places, key=lambda mark: mark.first)
        self._firsts = [mark.first for mark in self._marks]

    def why(self, row: LinkRow) -> LeftOut | None:
        position = row.position
        if position in self._in:
            return self._of_result(row)
        if row.flags & _SIDECHAIN:
            return LeftOut(position, Reason.SIDECHAIN)
        if row.uuid is not None:
            for reason, taken in ((Reason.SNIPPED, self._overlays.snipped), (Reason.CLEARED, self._overlays.hidden)):
                if (by := taken.get(row.uuid)) is not None and by < self._until:
                    return LeftOut(position, reason, by)
        unsent = row.uuid is None or row.type not in _TALK or (row.type == "assistant" and row.flags & _ERROR)
        if unsent and (row.type != "attachment" or position > self._start):
            return LeftOut(position, Reason.UNSENT)
        return self._by_mark(row)

    def _of_result(self, row: LinkRow) -> LeftOut | None:
        """The entry is there; is the text of its result?"""
        if row.position in self._taken:
            by, cleared = self._taken[row.position]
            return LeftOut(row.position, Reason.CLEARED if cleared else Reason.PERSISTED, by)
        if row.position in self._emptied:
            return LeftOut(row.position, Reason.CLEARED)  # no record tells of it
        if row.flags & _PUT_ASIDE:
            # The client wrote the preview or the placeholder itself.
            return LeftOut(row.position, Reason.CLEARED if row.flags & _CLEARED else Reason.PERSISTED)
        return None

    def _by_mark(self, row: LinkRow) -> LeftOut:
        position = row.position
        mark = self._mark(position)
        before = position < self._start
        if mark is not None and mark.fate is Fate.COLLAPSED and mark.by is not None and mark.by < self._until:
            return LeftOut(position, Reason.COLLAPSED, mark.by)
        if position in self._way:
            return LeftOut(position, Reason.UNSENT)
        if mark is not None and mark.fate is Fate.ABANDONED:
            return LeftOut(position, Reason.ABANDONED, mark.by)
        if not before:
            return LeftOut(position, Reason.ABANDONED)
        # A later boundary may have taken it once more; at this point it was gone by the one that the context starts at.
        by = mark.by if mark is not None and mark.by is not None and mark.by < self._start else self._start
        return LeftOut(position, Reason.SUMMARISED, by)

    def _mark(self, position: int) -> Mark | None:
        """A row has one fate of place, so the ranges do not overlap."""
        at = bisect_right(self._firsts, position) - 1
        return self._marks[at] if at >= 0 and self._marks[at].last >= position else None
