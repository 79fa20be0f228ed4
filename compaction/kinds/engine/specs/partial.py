"""Partial: a summary replaces everything from a message on, or up to it."""

from __future__ import annotations

from dataclasses import replace

from compaction.kinds.engine.choices import pivot_of
from compaction.kinds.engine.job import Job
from compaction.kinds.engine.result import CompactionResult
from compaction.kinds.engine.specs.full import FULL, SummarySettings
from compaction.mechanisms.engine.compaction.boundary import Direction, Trigger
from compaction.mechanisms.engine.partial.compact import partial_compact


def _apply(job: Job, config: SummarySettings, direction: Direction) -> CompactionResult:
    pivot_uuid = job.parameters.pivot
    pivot = pivot_of(job.messages, pivot_uuid, direction, job.model)
    outcome = partial_compact(
        job.messages,
        pivot.uuid or pivot_uuid,
        direction,
        job.summariser(config.mechanical),
        job.add_instructions(config.full),
        occasion=job.occasion(Trigger.MANUAL),
        attachments=job.limit_attachments(config.attachments),
    )
    applied = job.report_summary(outcome, mechanical=job.is_mechanical)
    if not pivot.obstacle or not applied.done:
        return applied
    return replace(applied, why=f"{applied.why} It is cut at {pivot.uuid}: at {pivot_uuid} {pivot.obstacle}.")


PARTIAL_FROM = replace(
    FULL,
    name="partial-from",
    title="From a message on",
    removes="Everything from a message on. A summary stands in for it; what came before stays cached.",
    loses="Of that part, what the summary does not say.",
    apply=lambda job, config: _apply(job, config, Direction.FROM),
    direction=Direction.FROM,
    choice_title="From which message on",
    choice_hint="It and everything after it becomes a summary.",
)
PARTIAL_UP_TO = replace(
    PARTIAL_FROM,
    name="partial-up-to",
    title="Up to a message",
    removes="Everything up to a message. A summary stands in for it; what follows stays word for word, cached anew.",
    apply=lambda job, config: _apply(job, config, Direction.UP_TO),
    direction=Direction.UP_TO,
    choice_title="Up to which message",
    choice_hint="It and everything after it stays word for word.",
)
