"""A record that changed which other records are sent, with its summary: what caused it, and its numbers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from sessions.timeline.engine.cards import Card
from sessions.timeline.engine.cards.lens import Lens, Mask
from sessions.timeline.engine.cards.records.bars import bar, summary_bar, summary_text
from sessions.timeline.engine.cards.safe_get import as_dict, as_number, as_text
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.rows import Row
from sessions.weights.engine import BoundarySize

EDIT_DETAILS = ("microcompact_boundary", "snip_boundary", "snip-boundary")
COLLAPSE_TYPE = "marble-origami-commit"


class EventKind(StrEnum):
    AUTO = "automatic"
    MANUAL = "by hand"
    UP_TO = "partial, up to a message"
    FROM = "partial, from a message on"
    OTHER = "compaction"
    """The record does not say what caused it."""
    CLEARED = "cleared"
    SNIPPED = "snipped"
    COLLAPSED = "collapsed"


@dataclass(frozen=True)
class CompactionEvent:
    row: Row
    """The boundary, or the summary if the version of the client wrote no boundary."""
    summary: Row | None = None

    @property
    def position(self) -> int:
        return self.row.position

    @property
    def address(self) -> str:
        return self.row.address

    @property
    def is_compaction(self) -> bool:
        """Whether everything before it leaves the context, except for kept messages. Other events are edits."""
        return bool(self.row.flags & (Flag.BOUNDARY | Flag.SUMMARY))

    @cached_property
    def kind(self) -> EventKind:
        if self.row.type == COLLAPSE_TYPE:
            return EventKind.COLLAPSED
        if not self.is_compaction:
            return EventKind.CLEARED if self.row.detail == "microcompact_boundary" else EventKind.SNIPPED
        direction = as_dict(self.summary.record.get("summarizeMetadata")).get("direction") if self.summary else None
        if direction in ("up_to", "from"):
            return EventKind.UP_TO if direction == "up_to" else EventKind.FROM
        return {"auto": EventKind.AUTO, "manual": EventKind.MANUAL}.get(
            as_text(self._metadata.get("trigger")), EventKind.OTHER
        )

    @cached_property
    def text(self) -> str:
        """The summary that replaces the removed messages."""
        if self.row.type == COLLAPSE_TYPE:
            return as_text(self.row.record.get("summaryContent"))
        return summary_text(self.summary.record) if self.summary else ""

    @property
    def summary_row(self) -> Row:
        """The record that holds the summary, or would hold it."""
        return self.summary or self.row

    @property
    def duration_ms(self) -> float | None:
        return as_number(self._metadata.get("durationMs"))

    @property
    def tokens_before(self) -> float | None:
        return as_number(self._metadata.get("preTokens"))

    @property
    def tokens_after(self) -> float | None:
        before, saved = self.tokens_before, as_number(self._metadata.get("tokensSaved"))
        if before is not None and saved is not None:
            return before - saved
        return as_number(self._metadata.get("postTokens"))

    def card(self, mask: Mask, size: BoundarySize | None = None) -> Card:
        """The card that the timeline shows for it."""
        lens = Lens(mask)
        if self.row is self.summary:
            return summary_bar(self.row, lens, size)
        return bar(self.row, self.summary, lens, size)

    @cached_property
    def _metadata(self) -> dict[str, object]:
        record = self.row.record
        return as_dict(record.get("compactMetadata")) or as_dict(record.get("microcompactMetadata"))


def events_of(rows: Sequence[Row], answers: Sequence[int]) -> list[CompactionEvent]:
    """`rows`: boundaries, summaries and edits in order of the file; `answers`: the positions of the model's answers.

    A summary belongs to the boundary before it if there is no answer between them."""
    events: list[CompactionEvent] = []
    boundary_index: int | None = None
    for row in rows:
        if Flag.SUMMARY not in row.flags:
            if Flag.BOUNDARY in row.flags:
                boundary_index = len(events)
            events.append(CompactionEvent(row))
        elif boundary_index is not None and not _has_between(answers, events[boundary_index].position, row.position):
            events[boundary_index] = CompactionEvent(events[boundary_index].row, row)
            boundary_index = None
        else:
            events.append(CompactionEvent(row, row))
            boundary_index = None
    return events


def _has_between(positions: Sequence[int], first: int, last: int) -> bool:
    index = bisect_right(positions, first)
    return index < len(positions) and positions[index] < last
