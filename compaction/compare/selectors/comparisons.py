"""Compares two points of a session, with the reasons from reports and records. A page of a long comparison is followed
by others of the same, so the last ones are cached in a compact form until the session continues."""

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
    compare,
    match_messages,
)
from compaction.compare.engine.packed import PackedMessages
from compaction.compare.engine.sentence import find_summary, trace_summary
from compaction.compare.selectors.points import ComparedContext, Points
from compaction.trail.engine.attribution import Attribution
from sessions.context.engine import Context
from sessions.context.engine.presentation.pieces import block_text
from sessions.context.selectors.contexts import load_left_out_among
from sessions.models import Transcript
from sessions.secrets.engine import mask
from sessions.transcripts.engine.messages import Message
from sessions.usage.engine.tokens import estimate_message

CACHE_SIZE = 2
CACHE_SECONDS = 120.0
"""What a client logged of its requests changes comparisons as well, and is read apart from the session."""
LONG = 1_000
"""Entries of a session from which on its comparisons are worth keeping."""
_LATER = Cause(Status.DROPPED, "It came later.")


@dataclass(frozen=True, slots=True)
class SessionComparison:
    before: ComparedContext
    after: ComparedContext
    comparison: Comparison
    made_at: float
    _attribution: list[Attribution | None] = field(default_factory=list)
    """Once it was asked for; shared with what is kept."""

    def attribution(self) -> Attribution | None:
        """Which sentences of the summary the messages went into."""
        if not self._attribution:
            self._attribution.append(trace_summary(self.comparison, self._summary(), mask))
        return self._attribution[0]

    def _summary(self) -> str:
        if self.after.compaction is not None:
            return self.after.compaction.summary
        message = find_summary(self.comparison)
        return "\n".join(map(block_text, message.content)) if message is not None else ""

    def pack(self) -> SessionComparison:
        """The comparison in a fraction of the memory."""
        before, after = PackedMessages(self.comparison.before), PackedMessages(self.comparison.after)
        return replace(
            self,
            before=replace(self.before, side=replace(self.before.side, messages=before), context=None),
            after=replace(self.after, side=replace(self.after.side, messages=after), context=None),
            comparison=replace(self.comparison, before=before, after=after),
        )


_cache: OrderedDict[tuple[Any, ...], SessionComparison] = OrderedDict()
_lock = threading.Lock()


def load_comparison(
    points: Points, names: tuple[str, ...], ends: Callable[[], tuple[ComparedContext, ComparedContext]]
) -> SessionComparison:
    """`names`: the two points in the address; `ends` finds them."""
    if points.transcript.entries < LONG:
        return _compare(points, ends)
    key = (*names, *_state(points.transcript))
    with _lock:
        cached = _cache.get(key)
    if cached is not None and time.monotonic() - cached.made_at < CACHE_SECONDS:
        return cached
    comparison = _compare(points, ends)
    packed = comparison.pack()
    with _lock:
        _cache[key] = packed
        _cache.move_to_end(key)
        while len(_cache) > CACHE_SIZE:
            _cache.popitem(last=False)
    return comparison


def _compare(points: Points, ends: Callable[[], tuple[ComparedContext, ComparedContext]]) -> SessionComparison:
    before, after = ends()
    return SessionComparison(before, after, compare_ends(points, before, after), time.monotonic())


def _state(transcript: Transcript) -> tuple[Any, ...]:
    """A value that changes whenever the session or one of its sub-agents continues."""
    family = Transcript.objects.filter(Q(pk=transcript.pk) | Q(parent=transcript.pk))
    counts = family.aggregate(files=Count("pk"), entries=Sum("entries"), archived=Sum("source__archived"))
    return transcript.pk, *counts.values()


def compare_ends(points: Points, before: ComparedContext, after: ComparedContext) -> Comparison:
    pairs = match_messages(before.side.messages, after.side.messages)
    causes = Causes(otherwise="The other context belongs to another agent.")
    if before.transcript.pk == after.transcript.pk and after.context is not None:
        causes = _causes(points, before, after, after.context, pairs.missing())
    return compare(before.side.messages, after.side.messages, causes, pairs, (_counter(before), _counter(after)))


def _counter(end: ComparedContext) -> Callable[[Message], int]:
    weights = end.side.weights
    return estimate_message if weights is None else lambda message: round(weights.message(message).tokens)


def _causes(
    points: Points, before: ComparedContext, after: ComparedContext, context: Context, missing: Sequence[Message]
) -> Causes:
    reported = causes_of_report(after.compaction.report) if after.compaction is not None else Causes()
    positions = {
        message.position for message in missing if message.position is not None and message.uuid not in reported.removed
    }
    until = context.position
    later = {f"L{position}": _LATER for position in positions if position >= until}
    earlier = {position for position in positions if position < until}
    left = load_left_out_among(after.transcript, context, earlier, points.links(after.transcript)) if earlier else {}
    recorded = causes_of_left_out(left.values(), context.start)
    explanation = "The run made it; no record of the session holds it."
    return Causes(
        {**later, **recorded.removed, **reported.removed},
        reported.rewritten or recorded.rewritten,
        reported.added,
        otherwise=explanation if before.compaction is not None else "No record says why.",
    )
