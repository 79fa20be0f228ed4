"""Applies a kind of compaction to a conversation. Nothing is written, and the messages stay as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compaction.kinds.engine.job import Job, Parameters
from compaction.kinds.engine.pins import put_back_pinned
from compaction.kinds.engine.result import CompactionResult
from compaction.kinds.engine.settings import config_of
from compaction.kinds.engine.spec import KindSpec
from compaction.mechanisms.engine.pipeline import Effects
from compaction.mechanisms.engine.pipeline.thinking import ThinkingPrints, without_dead_thinking
from sessions.transcripts.engine.messages import Message
from sessions.usage.engine.tokens import CountCache


def apply_kind(
    kind: KindSpec,
    messages: Sequence[Message],
    parameters: Parameters | None = None,
    *,
    effects: Effects | None = None,
    now: float,
    model: str = "",
    overhead: int = 0,
    session_id: str = "",
    failures: int = 0,
    error: str = "",
) -> CompactionResult:
    """`messages`: a context as it is sent. `effects.summarise` writes the summary; without it the summary is made
    mechanically. `overhead`: tokens of the system prompt and the tools. `failures`: automatic compactions of this
    conversation that failed in a row. `error`: the API's error if it refused the latest request as too long.

    Raises KindError if the parameters make no sense.
    """
    parameters = parameters or Parameters()
    config = config_of(kind, parameters.settings)
    job = Job(
        messages, parameters, effects or Effects(), now, model, overhead, session_id, CountCache(), failures, error
    )
    applied = kind.apply(job, config)
    if applied.is_forecast:
        pins = " The API knows no pins: pinned results go too." if applied.done and job.effects.pinned else ""
        return replace(applied, why=f"{applied.why}{pins}")
    return _drop_dead_thinking(put_back_pinned(applied, job.effects.pinned, job.counter), job)


def _drop_dead_thinking(applied: CompactionResult, job: Job) -> CompactionResult:
    if not applied.done or applied.after is applied.before:
        return applied
    outcome = without_dead_thinking(applied.before, applied.after, ThinkingPrints(), job.model, job.counter)
    if not outcome.report.applied:
        return applied
    return replace(
        applied,
        after=outcome.messages,
        tokens_after=outcome.report.tokens_after,
        reports=(*applied.reports, outcome.report),
        why=f"{applied.why} {outcome.report.why}",
    )
