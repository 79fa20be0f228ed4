"""Two points of a session compared, with the reasons that reports and records give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

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
from compaction.selectors.points import End
from sessions.engine.messages import Message
from sessions.selectors.context import left_out_among

_LATER = Cause(Status.DROPPED, "It came later.")


def comparison_of(before: End, after: End) -> Comparison:
    pairs = matched(before.side.messages, after.side.messages)
    causes = _causes(before, after, pairs.missing())
    return compared(before.side.messages, after.side.messages, causes, pairs)


def _causes(before: End, after: End, missing: Sequence[Message]) -> Causes:
    if before.transcript.pk != after.transcript.pk:
        return Causes(otherwise="The other context belongs to another agent.")
    positions = {one.position for one in missing if one.position is not None}
    if after.compaction is not None:
        causes = causes_of_report(after.compaction.report)
        later = {f"L{position}": _LATER for position in positions if position >= after.compaction.position}
        return replace(causes, gone={**later, **causes.gone})
    assert after.context is not None
    until = after.context.position
    causes = causes_of_left_out(left_out_among(after.transcript, after.context, positions).values())
    later = {f"L{position}": _LATER for position in positions if position >= until}
    return replace(causes, gone={**later, **causes.gone}, otherwise=_otherwise(before))


def _otherwise(before: End) -> str:
    made = before.compaction is not None
    return "The run made it; no record of the session holds it." if made else "No record says why."
