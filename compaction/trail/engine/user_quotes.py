"""What became of each message of the user at a boundary, as the marks of the session tell it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from compaction.trail.engine.attribution.words import text_of
from compaction.trail.engine.quoting import Quoting, quotable
from sessions.transcripts.engine.marks import Fate, Mark
from sessions.transcripts.engine.messages import Message, MessageKind

GONE = frozenset({Fate.ABANDONED, Fate.SIDECHAIN})
"""Nothing that happened on these ways is part of what the session goes on from."""

BESIDE = frozenset({Fate.CLEARED, Fate.PERSISTED})
"""What is told of results beside where they stand."""


class Place(StrEnum):
    KEPT = "kept"
    """Stands behind the boundary word for word."""
    AWAY = "away"
    """Was summarised by it, or before it."""


@dataclass(frozen=True, slots=True)
class Said:
    """The messages of the user up to a boundary."""

    total: int
    kept: int
    quoted: int | None
    """In the summary; None if nobody has looked."""

    @property
    def gone(self) -> int | None:
        return None if self.quoted is None else self.total - self.kept - self.quoted

    def told(self) -> dict[str, int | None]:
        """To be kept in a report."""
        return {"total": self.total, "kept": self.kept, "quoted": self.quoted, "gone": self.gone}

    @property
    def survived(self) -> int | None:
        return None if self.quoted is None else self.kept + self.quoted


def said_of(before: Iterable[Message], after: Iterable[Message], summary: str) -> Said:
    """Of the messages of the user in one context, those that are left in another."""
    there = {message.uuid for message in after if message.content}
    prompts = [message for message in before if message.kind is MessageKind.PROMPT and message.content]
    away = [message for message in prompts if message.uuid not in there]
    quoting = Quoting(summary)
    quoted = sum(quoting.holds(quotable(text_of(message))) for message in away)
    return Said(len(prompts), len(prompts) - len(away), quoted)


def places_at(boundary: int, positions: Iterable[int], marks: Iterable[Mark]) -> dict[int, Place]:
    """Where each of the messages at these positions before the boundary is, once the boundary was written.

    A mark says what became of a message last. What a later boundary has summarised or kept was kept by this one."""
    placed = sorted(
        (mark for mark in marks if mark.fate not in (Fate.CLEARED, Fate.PERSISTED)), key=lambda one: one.first
    )
    starts = [mark.first for mark in placed]
    found: dict[int, Place] = {}
    for position in positions:
        if position >= boundary:
            continue
        at = bisect_right(starts, position) - 1
        mark = placed[at] if at >= 0 and placed[at].last >= position else None
        if mark is not None and mark.fate in GONE:
            continue
        by = mark.by if mark is not None and mark.by is not None else -1
        here = mark is not None and mark.fate is Fate.KEPT and by == boundary
        found[position] = Place.KEPT if here or by > boundary else Place.AWAY
    return found
