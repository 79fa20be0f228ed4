"""Collapse: a short summary replaces each span of early history."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from compaction.kinds.engine.job import Job
from compaction.kinds.engine.result import CompactionResult
from compaction.kinds.engine.span_summariser import SpanSummariser
from compaction.kinds.engine.spec import KindSpec
from compaction.mechanisms.engine.collapse import CollapseConfig, CollapseReport, collapse, to_records
from compaction.mechanisms.engine.mechanical import MechanicalConfig
from sessions.usage.engine.tokens import Limits, context_window


@dataclass(frozen=True, slots=True)
class CollapseSettings:
    collapse: CollapseConfig = field(
        default_factory=lambda: CollapseConfig(
            enabled=True, stage_at=0.0, commit_at=0.0, target=0.0, keep_tokens=5_000, least=500
        )
    )
    mechanical: MechanicalConfig = field(default_factory=MechanicalConfig)


def _apply(job: Job, config: CollapseSettings) -> CompactionResult:
    summariser = SpanSummariser(job.summariser(config.mechanical))
    outcome = collapse(
        job.messages,
        replace(config.collapse, pinned=(*config.collapse.pinned, *job.effects.pinned)),
        limits=Limits(context_window(job.model or None).tokens),
        summarise=job.effects.summarise_span or summariser,
        announce=job.effects.announce_span,
        counter=job.counter,
    )
    assert isinstance(outcome.report, CollapseReport)
    commits = outcome.report.committed
    applied = replace(
        job.report(outcome, tuple(to_records(outcome.state, job.session_id)) if commits else ()),
        summary="\n\n".join(commit.summary for commit in commits),
        mechanical=job.effects.summarise_span is None and job.is_mechanical and bool(commits),
    )
    if not summariser.problem:
        return applied
    if not commits:
        return replace(applied, failed=True, why=f"No span was summed up: {summariser.problem}.")
    return replace(applied, why=f"{applied.why} Not every span was summed up: {summariser.problem}.")


COLLAPSE = KindSpec(
    name="collapse",
    title="Collapse",
    removes="Spans of early history, the least needed first.",
    loses="Their detail; a short summary of each stays.",
    apply=_apply,
    config=CollapseSettings(),
    first_fields=("collapse.keep_tokens", "collapse.least", "collapse.least_score", "collapse.keep_inputs"),
    hidden_fields=("collapse.enabled",),
    summarises=True,
)
