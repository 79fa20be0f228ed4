"""The pipeline: budget, snip, microcompact, collapse, auto-compact, in this order before every request.

What costs least comes first, and each stage sees what the one before it has left. The caller passes the whole
conversation each time; the state repeats earlier decisions, so the beginning of a request keeps its bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

from compaction.mechanisms.engine.compaction.boundary import Direction, Trigger
from compaction.mechanisms.engine.full.compact import full_compact
from compaction.mechanisms.engine.full.request import Summarise
from compaction.mechanisms.engine.partial.compact import partial_compact
from compaction.mechanisms.engine.pipeline.auto_compact import TrackedCompaction, auto_compact, record_compaction
from compaction.mechanisms.engine.pipeline.config import PipelineConfig
from compaction.mechanisms.engine.pipeline.effects import Effects
from compaction.mechanisms.engine.pipeline.outcome import PipelineOutcome, PipelineReport
from compaction.mechanisms.engine.pipeline.state import PipelineState
from compaction.mechanisms.engine.pipeline.work import Work
from sessions.transcripts.engine.messages import Message
from sessions.usage.engine.tokens import CountCache, TokenCounter, estimate, estimate_blocks
from sessions.usage.engine.too_long import read_too_long


def run_pipeline(
    messages: Sequence[Message],
    config: PipelineConfig | None = None,
    state: PipelineState | None = None,
    *,
    now: float,
    effects: Effects | None = None,
    counter: TokenCounter = estimate_blocks,
) -> PipelineOutcome:
    """Runs before a request: `messages` is the whole conversation, the outcome has what to send of it."""
    work = _work(messages, config, state, now, effects, counter)
    work.prepare()
    compacted = auto_compact(work)
    if compacted is None:
        work.remind()
    return _outcome(work, compacted)


def recover(
    messages: Sequence[Message],
    error: str,
    config: PipelineConfig | None = None,
    state: PipelineState | None = None,
    *,
    now: float,
    effects: Effects | None = None,
    counter: TokenCounter = estimate_blocks,
) -> PipelineOutcome:
    """Runs after a request was refused with `error`: compacts, and holds the error back if that helped.

    Any other error than one of size is returned as it is, with the view that was sent.
    """
    work = _work(messages, config, state, now, effects, counter)
    work.prepare()
    compacted = auto_compact(work, refusal=error) if read_too_long(error) else None
    return _outcome(work, compacted, "" if compacted is not None else error)


def compact_now(
    messages: Sequence[Message],
    summarise: Summarise,
    config: PipelineConfig | None = None,
    state: PipelineState | None = None,
    *,
    now: float,
    pivot: str = "",
    direction: Direction = Direction.UP_TO,
    effects: Effects | None = None,
    counter: TokenCounter = estimate_blocks,
) -> PipelineOutcome:
    """Compacts because a person wants it: everything, or one side of the message `pivot`."""
    work = _work(messages, config, state, now, effects, counter)
    work.prepare()
    occasion = work.effects.occasion(Trigger.MANUAL, now, work.counter, work.config.model, messages)
    settings = work.config.full, work.config.attachments
    if pivot:
        outcome = partial_compact(
            work.view, pivot, direction, summarise, settings[0], occasion=occasion, attachments=settings[1]
        )
    else:
        outcome = full_compact(work.view, summarise, settings[0], occasion=occasion, attachments=settings[1])
    work.reports.append(outcome.report)
    compaction = outcome.state.compaction
    return _outcome(work, record_compaction(work, outcome, compaction) if compaction is not None else None)


def _work(
    messages: Sequence[Message],
    config: PipelineConfig | None,
    state: PipelineState | None,
    now: float,
    effects: Effects | None,
    counter: TokenCounter,
) -> Work:
    return Work(
        messages,
        state or PipelineState(),
        config or PipelineConfig(),
        effects or Effects(),
        now,
        counter if isinstance(counter, CountCache) else CountCache(counter),
    )


def _outcome(work: Work, compacted: TrackedCompaction | None, error: str = "") -> PipelineOutcome:
    work.finish()
    report = PipelineReport(
        tuple(work.reports),
        work.tokens,
        work.threshold,
        estimate(work.messages, work.counter),
        estimate(work.view, work.counter) - work.deleted,
        compacted.recompaction if compacted is not None else None,
    )
    return PipelineOutcome(
        work.view,
        report,
        work.state,
        work.cache_edits,
        work.persisted,
        compacted.compaction if compacted is not None else None,
        error,
    )
