"""Two points of a session compared, with the reasons that reports and records give."""

from __future__ import annotations

from collections.abc import Sequence

from compaction.engine.compare import (
    Cause,
    Causes,
    Comparison,
    Status,
    causes_of_left_out,
    causes_of_report,
    compared,
    matched,
)
from compaction.selectors.points import End, Points
from sessions.engine.messages import Message
from sessions.selectors.context import left_out_among

_LATER = Cause(Status.DROPPED, "It came later.")


def comparison_of(points: Points, before: End, after: End) -> Comparison:
    pairs = matched(before.side.messages, after.side.messages)
    causes = _causes(points, before, after, pairs.missing())
    return compared(before.side.messages, after.side.messages, causes, pairs)


def _causes(points: Points, before: End, after: End, missing: Sequence[Message]) -> Causes:
    if before.transcript.pk != after.transcript.pk:
        return Causes(otherwise="The other context belongs to another agent.")
    known = causes_of_report(after.compaction.report) if after.compaction is not None else Causes()
    positions = {one.position for one in missing if one.position is not None and one.uuid not in known.gone}
    until = after.context.position
    later = {f"L{position}": _LATER for position in positions if position >= until}
    earlier = {position for position in positions if position < until}
    left = left_out_among(after.transcript, after.context, earlier, points.links(after.transcript)) if earlier else {}
    told = causes_of_left_out(left.values(), after.context.start)
    made = "The run made it; no record of the session holds it."
    return Causes(
        {**later, **told.gone, **known.gone},
        known.rewritten or told.rewritten,
        known.added,
        otherwise=made if before.compaction is not None else "No record says why.",
    )
