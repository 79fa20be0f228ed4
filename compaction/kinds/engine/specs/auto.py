"""Auto: what the agent would do by itself before its next request, with all mechanisms in the agent's order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from compaction.kinds.engine.job import Job, summary_of
from compaction.kinds.engine.result import CompactionResult
from compaction.kinds.engine.span_summariser import SpanSummariser
from compaction.kinds.engine.spec import KindSpec
from compaction.kinds.engine.specs.full import SUMMARY_INSTRUCTIONS
from compaction.mechanisms.engine.compaction.record import CompactionMethod
from compaction.mechanisms.engine.conversation.calls import results_of
from compaction.mechanisms.engine.guards.breaker import Breaker
from compaction.mechanisms.engine.mechanical import MechanicalConfig
from compaction.mechanisms.engine.pipeline import PipelineConfig, PipelineState, recover, run_pipeline
from compaction.mechanisms.engine.pipeline.auto_compact import CLEAN_UP
from compaction.mechanisms.engine.snip.removal import untag_inputs
from compaction.mechanisms.engine.tool_result_limit.replacements import ContentReplacementState
from sessions.transcripts.engine.messages import Message
from sessions.usage.engine.tokens import estimate

_AUTO_COMPACT = "auto-compact"
_FULL_COMPACT = "full compact"


@dataclass(frozen=True, slots=True)
class AutoSettings:
    pipeline: PipelineConfig = field(default_factory=PipelineConfig)
    mechanical: MechanicalConfig = field(default_factory=MechanicalConfig)


def _apply(job: Job, config: AutoSettings) -> CompactionResult:
    pipeline = config.pipeline
    pipeline = replace(
        pipeline,
        model=pipeline.model or job.model,
        overhead=pipeline.overhead or job.overhead,
        betas=pipeline.betas or job.effects.betas,
        max_output=pipeline.max_output or job.longest_answer(pipeline.attachments),
        full=job.add_instructions(pipeline.full),
        collapse=replace(pipeline.collapse, pinned=(*pipeline.collapse.pinned, *job.effects.pinned)),
        attachments=job.limit_attachments(pipeline.attachments),
    )
    summarise = job.summariser(config.mechanical)
    spans = job.effects.summarise_span or SpanSummariser(summarise)
    effects = replace(job.effects, summarise=summarise, summarise_span=spans)
    state = PipelineState(budget=ContentReplacementState(seen=_sent(job.messages)), breaker=Breaker(job.failures))
    outcome = (
        recover(job.messages, job.error, pipeline, state, now=job.now, effects=effects, counter=job.counter)
        if job.error
        else run_pipeline(job.messages, pipeline, state, now=job.now, effects=effects, counter=job.counter)
    )
    compaction, report = outcome.compaction, outcome.report
    decision = report.stage(_AUTO_COMPACT)
    others = [name for name in report.applied_mechanisms if name not in (_AUTO_COMPACT, CLEAN_UP)]
    failures, most = outcome.state.breaker.failures, pipeline.auto.most_failures
    failed = compaction is None and failures > job.failures and not job.is_mechanical
    why = decision.why if decision is not None else ""
    if failed:
        stage = report.stage(_FULL_COMPACT)
        why += f" {stage.why}" if stage is not None else ""
        why += f" That is failure {failures} in a row; after {most} it is not tried any more."
    elif compaction is None and Breaker(job.failures).is_open(most):
        why += " Ask for a full compaction, or raise most_failures."
    if compaction is None and others:
        why += f" Other mechanisms that would act: {', '.join(others)}."
    elif compaction is not None:
        stage = report.stage("session memory" if compaction.way is CompactionMethod.SESSION_MEMORY else _FULL_COMPACT)
        why += f" {stage.why}" if stage is not None else ""
        why += f" {report.recompaction.sentence}" if report.recompaction is not None else ""
    return CompactionResult(
        job.messages,
        untag_inputs(outcome.messages) if others else job.messages,
        estimate(job.messages, job.counter),
        report.tokens_after,
        report.stages,
        bool(others),
        failed=failed,
        why=why,
        mechanical=compaction is not None and compaction.way is CompactionMethod.FULL and job.is_mechanical,
        compaction=compaction,
        summary=summary_of(compaction) if compaction is not None else "",
        records=tuple(compaction.to_records()) if compaction is not None else (),
        persisted=outcome.persisted,
        cache_edits=outcome.cache_edits,
        failures=failures,
    )


def _sent(messages: Sequence[Message]) -> frozenset[str]:
    """Results that were followed by an answer: they were sent unchanged, and stay so."""
    last_answer = max((index for index, message in enumerate(messages) if message.role == "assistant"), default=0)
    return frozenset(result.tool_use_id for result in results_of(messages[:last_answer]))


AUTO = KindSpec(
    name="auto",
    title="What would happen now",
    removes="What the agent itself would remove before its next request, and says why.",
    loses="What the mechanism that it chooses loses.",
    apply=_apply,
    config=AutoSettings(),
    first_fields=("pipeline.auto.percent", "pipeline.window", "pipeline.collapse.enabled"),
    hidden_fields=("pipeline.budget.path", "pipeline.full.instructions", "pipeline.auto.origin"),
    instructions=SUMMARY_INSTRUCTIONS,
    summarises=True,
    can_fork=True,
    runs_hooks=True,
    automatic=True,
    path_setting="budget.path",
    action="Do what would happen",
)
