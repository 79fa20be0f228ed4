"""What would happen by itself before the next request, and why: all mechanisms in the order of a client."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compaction.kinds.engine.kind import Applied
from compaction.kinds.engine.moment import Moment, summary_of
from compaction.kinds.engine.settings import AutoSettings
from compaction.kinds.engine.spans import SpanSummariser
from compaction.mechanisms.engine.compaction.record import CompactionMethod
from compaction.mechanisms.engine.conversation.calls import results_of
from compaction.mechanisms.engine.guards.breaker import Breaker
from compaction.mechanisms.engine.pipeline import PipelineState, run_pipeline
from compaction.mechanisms.engine.tool_result_limit.replacements import ContentReplacementState
from sessions.transcripts.engine.messages import Message
from sessions.usage.engine.tokens import estimate

AUTO = "auto-compact"


def automatic(moment: Moment, config: AutoSettings) -> Applied:
    pipeline = config.pipeline
    pipeline = replace(
        pipeline,
        model=pipeline.model or moment.model,
        overhead=pipeline.overhead or moment.overhead,
        full=moment.instructed(pipeline.full),
        attachments=moment.attachments(pipeline.attachments),
    )
    summarise = moment.summarise(config.mechanical)
    spans = moment.effects.summarise_span or SpanSummariser(summarise)
    effects = replace(moment.effects, summarise=summarise, summarise_span=spans)
    breaker = Breaker(moment.failures)
    state = PipelineState(budget=ContentReplacementState(seen=_sent(moment.messages)), breaker=breaker)
    outcome = run_pipeline(moment.messages, pipeline, state, now=moment.now, effects=effects, counter=moment.counter)
    made, report = outcome.compaction, outcome.report
    decided = report.stage(AUTO)
    others = [name for name in report.applied_mechanisms if name != AUTO]
    failures, most = outcome.state.breaker.failures, pipeline.auto.most_failures
    failed = made is None and failures > moment.failures and not moment.mechanical
    why = decided.why if decided is not None else ""
    if failed:
        stage = report.stage("full compact")
        why += f" {stage.why}" if stage is not None else ""
        why += f" That is failure {failures} in a row; after {most} it is not tried any more."
    elif made is None and breaker.is_open(most):
        why += " Ask for a full compaction, or raise most_failures."
    if made is None and others:
        why += f" Before that, these would act: {', '.join(others)}."
    elif made is not None:
        stage = report.stage(
            made.way.value.replace("_", " ") if made.way is CompactionMethod.SESSION_MEMORY else "full compact"
        )
        why += f" {stage.why}" if stage is not None else ""
    return Applied(
        moment.kind,
        moment.messages,
        outcome.messages if others else moment.messages,
        estimate(moment.messages, moment.counter),
        report.tokens_after,
        report.stages,
        bool(others),
        failed=failed,
        why=why,
        mechanical=made is not None and made.way is CompactionMethod.FULL and moment.mechanical,
        compaction=made,
        summary=summary_of(made) if made is not None else "",
        records=tuple(made.to_records()) if made is not None else (),
        persisted=outcome.persisted,
        cache_edits=outcome.cache_edits,
        failures=failures,
    )


def _sent(messages: Sequence[Message]) -> frozenset[str]:
    """Results that an answer has followed were sent as they are, and stay so."""
    last = max((at for at, message in enumerate(messages) if message.role == "assistant"), default=0)
    return frozenset(result.tool_use_id for result in results_of(messages[:last]))
