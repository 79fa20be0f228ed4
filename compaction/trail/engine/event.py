"""A record that changed what is sent of others, with the summary that belongs to it: who wanted it, and its numbers."""

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

EDITS = ("microcompact_boundary", "snip_boundary", "snip-boundary")
COLLAPSE = "marble-origami-commit"


class How(StrEnum):
    AUTO = "automatic"
    MANUAL = "by hand"
    UP_TO = "partial, up to a message"
    FROM = "partial, from a message on"
    OTHER = "compaction"
    """The record does not say what made it."""
    CLEARED = "cleared"
    SNIPPED = "snipped"
    COLLAPSED = "collapsed"


@dataclass(frozen=True)
class Event:
    row: Row
    """The boundary; of a version that wrote none, the summary."""
    summary: Row | None = None

    @property
    def position(self) -> int:
        return self.row.position

    @property
    def address(self) -> str:
        return self.row.address

    @property
    def summarises(self) -> bool:
        """Everything before it leaves the context, but for what is kept. Else it changes some of it."""
        return bool(self.row.flags & (Flag.BOUNDARY | Flag.SUMMARY))

    @cached_property
    def how(self) -> How:
        if self.row.type == COLLAPSE:
            return How.COLLAPSED
        if not self.summarises:
            return How.CLEARED if self.row.detail == "microcompact_boundary" else How.SNIPPED
        direction = as_dict(self.summary.record.get("summarizeMetadata")).get("direction") if self.summary else None
        if direction in ("up_to", "from"):
            return How.UP_TO if direction == "up_to" else How.FROM
        return {"auto": How.AUTO, "manual": How.MANUAL}.get(as_text(self._metadata.get("trigger")), How.OTHER)

    @cached_property
    def text(self) -> str:
        """What now stands for the messages that went."""
        if self.row.type == COLLAPSE:
            return as_text(self.row.record.get("summaryContent"))
        return summary_text(self.summary.record) if self.summary else ""

    @property
    def holder(self) -> Row:
        """The record that holds the summary, or would."""
        return self.summary or self.row

    @property
    def took_ms(self) -> float | None:
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

    def told(self, mask: Mask) -> Card:
        """In the words of the timeline."""
        lens = Lens(mask)
        return summary_bar(self.row, lens) if self.row is self.summary else bar(self.row, self.summary, lens)

    @cached_property
    def _metadata(self) -> dict[str, object]:
        record = self.row.record
        return as_dict(record.get("compactMetadata")) or as_dict(record.get("microcompactMetadata"))


def events_of(rows: Sequence[Row], answers: Sequence[int]) -> list[Event]:
    """`rows`: boundaries, summaries and edits in the order of the file; `answers`: where the model said something.

    A summary belongs to the boundary before it, if nothing was said in between."""
    events: list[Event] = []
    waiting: int | None = None
    for row in rows:
        if Flag.SUMMARY not in row.flags:
            if Flag.BOUNDARY in row.flags:
                waiting = len(events)
            events.append(Event(row))
        elif waiting is not None and not _between(answers, events[waiting].position, row.position):
            events[waiting] = Event(events[waiting].row, row)
            waiting = None
        else:
            events.append(Event(row, row))
            waiting = None
    return events


def _between(positions: Sequence[int], first: int, last: int) -> bool:
    at = bisect_right(positions, first)
    return at < len(positions) and positions[at] < last
