"""Why the model did not see an entry: every entry before a request that is not in it has a reason."""

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
_SHORTENED = int(Flag.CLEARED | Flag.PERSISTED)
_TALK = frozenset({"user", "assistant"})


class LeftOutReason(StrEnum):
    SUMMARISED = "summarised"
    SNIPPED = "snipped"
    CLEARED = "cleared"
    """The entry is in the context without the text of its result."""
    PERSISTED = "persisted"
    """The same, with a preview and the path of a file instead of the text."""
    COLLAPSED = "collapsed"
    ABANDONED = "abandoned"
    """On another branch than this request."""
    SIDECHAIN = "sub-agent"
    UNSENT = "never sent"
    """For the client or the person only; or a part of an answer that the client does not send to this model."""


class LeftOutEntry(NamedTuple):
    position: int
    reason: LeftOutReason
    by: int | None = None
    """The record that caused it."""


def find_left_out(context: Context, rows: Iterable[LinkRow], marks: Sequence[Mark]) -> Iterator[LeftOutEntry]:
    """`rows`: all rows before the request; `marks`: those of the whole session, as linking found them."""
    explainer = _Explainer(context, marks)
    for row in rows:
        if row.position >= context.position:
            return
        left_out = explainer.explain(row)
        if left_out is not None:
            yield left_out


class _Explainer:
    def __init__(self, context: Context, marks: Sequence[Mark]) -> None:
        self._sent = context.positions
        self._overlays: Overlays = context.overlays
        self._end = context.position
        self._start = context.start
        self._removed_results = context.removed_results
        self._emptied = context.emptied_results
        self._chain = frozenset(position for part in context.parts for position in part.segment.positions)
        places = [mark for mark in marks if mark.fate in (Fate.SUMMARISED, Fate.KEPT, Fate.ABANDONED, Fate.COLLAPSED)]
        self._marks = sorted(places, key=lambda mark: mark.first)
        self._firsts = [mark.first for mark in self._marks]

    def explain(self, row: LinkRow) -> LeftOutEntry | None:
        position = row.position
        if position in self._sent:
            return self._explain_result(row)
        if row.flags & _SIDECHAIN:
            return LeftOutEntry(position, LeftOutReason.SIDECHAIN)
        if row.uuid is not None:
            for reason, removed in (
                (LeftOutReason.SNIPPED, self._overlays.snipped),
                (LeftOutReason.CLEARED, self._overlays.hidden),
            ):
                if (by := removed.get(row.uuid)) is not None and by < self._end:
                    return LeftOutEntry(position, reason, by)
        unsent = row.uuid is None or row.type not in _TALK or (row.type == "assistant" and row.flags & _ERROR)
        if unsent and (row.type != "attachment" or position > self._start):
            return LeftOutEntry(position, LeftOutReason.UNSENT)
        return self._explain_by_mark(row)

    def _explain_result(self, row: LinkRow) -> LeftOutEntry | None:
        """The reason if the entry is in the context without the text of its result."""
        if row.position in self._removed_results:
            by, cleared = self._removed_results[row.position]
            return LeftOutEntry(row.position, LeftOutReason.CLEARED if cleared else LeftOutReason.PERSISTED, by)
        if row.position in self._emptied:
            return LeftOutEntry(row.position, LeftOutReason.CLEARED)  # no record says so
        if row.flags & _SHORTENED:
            # The record itself holds a preview or a placeholder.
            return LeftOutEntry(
                row.position, LeftOutReason.CLEARED if row.flags & _CLEARED else LeftOutReason.PERSISTED
            )
        return None

    def _explain_by_mark(self, row: LinkRow) -> LeftOutEntry:
        position = row.position
        mark = self._find_mark(position)
        before = position < self._start
        if mark is not None and mark.fate is Fate.COLLAPSED and mark.by is not None and mark.by < self._end:
            return LeftOutEntry(position, LeftOutReason.COLLAPSED, mark.by)
        if position in self._chain:
            return LeftOutEntry(position, LeftOutReason.UNSENT)
        if mark is not None and mark.fate is Fate.ABANDONED:
            return LeftOutEntry(position, LeftOutReason.ABANDONED, mark.by)
        if not before:
            return LeftOutEntry(position, LeftOutReason.ABANDONED)
        # A later boundary may have summarised it again; here the boundary counts at which the context starts.
        by = mark.by if mark is not None and mark.by is not None and mark.by < self._start else self._start
        return LeftOutEntry(position, LeftOutReason.SUMMARISED, by)

    def _find_mark(self, position: int) -> Mark | None:
        """The mark of a row. Marks of these fates do not overlap."""
        index = bisect_right(self._firsts, position) - 1
        return self._marks[index] if index >= 0 and self._marks[index].last >= position else None
