"""Two points of a session compared, with the reasons that reports and records give. A page of a long comparison is
followed by others of the same, so the last ones are kept for a while, small, as long as the session does not go on."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db.models import Count, Q, Sum

from compaction.compare.engine import (
    Cause,
    Causes,
    Comparison,
    Status,
    causes_of_left_out,
    causes_of_report,
    compared,
    matched,
)
from compaction.compare.engine.packed import Packed
from compaction.compare.engine.sentence import summary_in, traced
from compaction.compare.selectors.points import End, Points
from compaction.trail.engine.attribution import Attribution
from sessions.context.engine import Context
from sessions.context.engine.presentation.pieces import block_text
from sessions.context.selectors.contexts import load_left_out_among
from sessions.models import Transcript
from sessions.secrets.engine import mask
from sessions.transcripts.engine.messages import Message

KEPT = 2
KEPT_SECONDS = 120.0
"""What a client logged of its requests changes comparisons as well, and is read apart from the session."""
LONG = 1_000
"""Entries of a session from which on its comparisons are worth keeping."""
_LATER = Cause(Status.DROPPED, "It came later.")


@dataclass(frozen=True, slots=True)
class Compared:
    before: End
    after: End
    found: Comparison
    at: float
    _traced: list[Attribution | None] = field(default_factory=list)
    """Once it was asked for; shared with what is kept."""

    def traced(self) -> Attribution | None:
        """Which sentences of the summary the messages went into."""
        if not self._traced:
            self._traced.append(traced(self.found, self._summary(), mask))
        return self._traced[0]

    def _summary(self) -> str:
        if self.after.compaction is not None:
            return self.after.compaction.summary
        message = summary_in(self.found)
        return "\n".join(map(block_text, message.content)) if message is not None else ""

    def packed(self) -> Compared:
        """The same in a fraction of the room."""
        before, after = Packed(self.found.before), Packed(self.found.after)
        return replace(
            self,
            before=replace(self.before, side=replace(self.before.side, messages=before), context=None),
            after=replace(self.after, side=replace(self.after.side, messages=after), context=None),
            found=replace(self.found, before=before, after=after),
        )


_kept: OrderedDict[tuple[Any, ...], Compared] = OrderedDict()
_lock = threading.Lock()


def comparison_of(points: Points, names: tuple[str, ...], ends: Callable[[], tuple[End, End]]) -> Compared:
    """`names`: what the address says of the two points, which `ends` finds."""
    if points.transcript.entries < LONG:
        return _made(points, ends)
    key = (*names, *_state(points.transcript))
    with _lock:
        known = _kept.get(key)
    if known is not None and time.monotonic() - known.at < KEPT_SECONDS:
        return known
    made = _made(points, ends)
    packed = made.packed()
    with _lock:
        _kept[key] = packed
        _kept.move_to_end(key)
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return made


def _made(points: Points, ends: Callable[[], tuple[End, End]]) -> Compared:
    before, after = ends()
    return Compared(before, after, ends_compared(points, before, after), time.monotonic())


def _state(transcript: Transcript) -> tuple[Any, ...]:
    """What changes whenever the session or one of its sub-agents goes on."""
    family = Transcript.objects.filter(Q(pk=transcript.pk) | Q(parent=transcript.pk))
    counts = family.aggregate(files=Count("pk"), entries=Sum("entries"), archived=Sum("source__archived"))
    return transcript.pk, *counts.values()


def ends_compared(points: Points, before: End, after: End) -> Comparison:
    pairs = matched(before.side.messages, after.side.messages)
    causes = Causes(otherwise="The other context belongs to another agent.")
    if before.transcript.pk == after.transcript.pk and after.context is not None:
        causes = _causes(points, before, after, after.context, pairs.missing())
    return compared(before.side.messages, after.side.messages, causes, pairs)


def _causes(points: Points, before: End, after: End, context: Context, missing: Sequence[Message]) -> Causes:
    known = causes_of_report(after.compaction.report) if after.compaction is not None else Causes()
    positions = {one.position for one in missing if one.position is not None and one.uuid not in known.gone}
    until = context.position
    later = {f"L{position}": _LATER for position in positions if position >= until}
    earlier = {position for position in positions if position < until}
    left = load_left_out_among(after.transcript, context, earlier, points.links(after.transcript)) if earlier else {}
    told = causes_of_left_out(left.values(), context.start)
    made = "The run made it; no record of the session holds it."
    return Causes(
        {**later, **told.gone, **known.gone},
        known.rewritten or told.rewritten,
        known.added,
        otherwise=made if before.compaction is not None else "No record says why.",
    )
