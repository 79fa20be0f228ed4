"""Compacts what preceded a boundary, and holds the result against the next request."""

from __future__ import annotations

from dataclasses import dataclass

from compaction.kinds.engine import CompactionResult, KindError, Parameters, apply_kind, kind_named
from compaction.mechanisms.engine import Effects
from compaction.mechanisms.engine.attachments.recorded_files import recorded_files
from sessions.context.engine import context_at
from tests.compaction.yardstick.boundaries import RecordedBoundary
from tests.compaction.yardstick.parts import PARTS, first_difference, our_parts, sent_parts


@dataclass(frozen=True)
class Verdict:
    boundary: RecordedBoundary
    declined: str
    """Why nothing was compacted; empty if it was."""
    differences: dict[str, str]
    """Part -> what differs first in it; empty if nothing does."""

    @property
    def is_exact(self) -> bool:
        return not self.declined and not any(self.differences.values())


def hold(boundary: RecordedBoundary) -> Verdict:
    try:
        result = compact_again(boundary)
    except KindError as error:
        return Verdict(boundary, str(error), {})
    if not result.done:
        return Verdict(boundary, result.why, {})
    sent, ours = sent_parts(boundary), our_parts(boundary, result)
    return Verdict(boundary, "", {part: first_difference(sent[part], ours[part]) for part in PARTS})


def compact_again(boundary: RecordedBoundary) -> CompactionResult:
    """The same compaction, made here, with the summary that the client got."""
    context = context_at(boundary.before)
    reply = f"<summary>\n{boundary.summary}\n</summary>"
    effects = Effects(summarise=lambda request: reply, read_file=recorded_files(context.messages))
    return apply_kind(
        kind_named(boundary.kind),
        context.messages,
        Parameters(pivot=boundary.pivot if boundary.direction else ""),
        effects=effects,
        now=0.0,
        model=context.model,
    )
