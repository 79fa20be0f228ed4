"""Applies a kind of compaction to a conversation: nothing is written, and the messages that were given stay as they
are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from compaction.kinds.engine.automatic import automatic
from compaction.kinds.engine.choices import pivot_of
from compaction.kinds.engine.kind import (
    Applied,
    Kind,
    KindError,
    Parameters,
)
from compaction.kinds.engine.microcompact import microcompacted
from compaction.kinds.engine.moment import Moment
from compaction.kinds.engine.settings import (
    AutoSettings,
    CollapseSettings,
    NotesSettings,
    SummarySettings,
    config_of,
)
from compaction.kinds.engine.spans import SpanSummariser
from compaction.mechanisms.engine.collapse import CollapseReport, collapse, to_records
from compaction.mechanisms.engine.compaction.boundary import Direction, Trigger, is_boundary
from compaction.mechanisms.engine.full.compact import full_compact
from compaction.mechanisms.engine.partial.compact import partial_compact
from compaction.mechanisms.engine.pipeline import Effects
from compaction.mechanisms.engine.pipeline.thinking import ThinkingPrints, without_dead_thinking
from compaction.mechanisms.engine.session_memory import session_memory_compact
from compaction.mechanisms.engine.snip.removal import short_id, snip
from compaction.mechanisms.engine.tool_result_limit.limit import limit_tool_results
from sessions.transcripts.engine.messages import Message, MessageKind
from sessions.usage.engine.tokens import (
    CountCache,
    Limits,
    context_window,
    estimate,
)


def apply_kind(
    kind: Kind,
    messages: Sequence[Message],
    parameters: Parameters | None = None,
    *,
    effects: Effects | None = None,
    now: float,
    model: str = "",
    overhead: int = 0,
    session_id: str = "",
    failures: int = 0,
) -> Applied:
    """`messages` is a context as it is sent; `effects.summarise` writes the summary, and without it nobody does: then
    it is put together mechanically. `overhead`: tokens of the system prompt and the tools. `failures`: how many
    automatic compactions of this conversation have failed in a row.

    Raises KindError if the parameters make no sense.
    """
    parameters = parameters or Parameters()
    config = config_of(kind, parameters.settings)
    effects = effects or Effects()
    moment = Moment(kind, messages, parameters, effects, now, model, overhead, session_id, CountCache(), failures)
    return _living(_ACTIONS[kind](moment, config), moment)


def _living(applied: Applied, moment: Moment) -> Applied:
    """Without the thinking that the edit has killed."""
    if not applied.done or applied.kind is Kind.AUTO or applied.after is applied.before:
        return applied
    living = without_dead_thinking(applied.before, applied.after, ThinkingPrints(), moment.model, moment.counter)
    if not living.report.applied:
        return applied
    return replace(
        applied,
        after=living.messages,
        tokens_after=living.report.tokens_after,
        reports=(*applied.reports, living.report),
        why=f"{applied.why} {living.report.why}",
    )


def _budget(moment: Moment, config: Any) -> Applied:
    done = limit_tool_results(moment.messages, config, counter=moment.counter)
    records = (done.state.to_record(moment.session_id),) if done.persisted else ()
    return replace(moment.simple(done, records), persisted=done.persisted)


def _snip(moment: Moment, config: Any) -> Applied:
    if not moment.parameters.ids:
        raise KindError("A snip needs the ids of the turns that should go: short ids, or uuids of what was typed.")
    uuids = {message.uuid for message in moment.messages}
    ids = [short_id(one) if one in uuids else one for one in moment.parameters.ids]
    done = snip(moment.messages, ids, config, reason=moment.parameters.instructions, counter=moment.counter)
    return moment.simple(done, tuple(done.state.to_records(moment.session_id)) if done.report.applied else ())


def _collapse(moment: Moment, config: CollapseSettings) -> Applied:
    limits = Limits(context_window(moment.model or None).tokens)
    own = SpanSummariser(moment.summarise(config.mechanical))
    summarise = moment.effects.summarise_span or own
    # What stands before the first answer are instructions and surroundings, which hold for all that follows.
    head = next((at for at, one in enumerate(moment.messages) if one.role == "assistant"), len(moment.messages))
    above, below = moment.messages[:head], moment.messages[head:]
    done = collapse(
        below,
        config.collapse,
        limits=limits,
        summarise=summarise,
        announce=moment.effects.announce_span,
        counter=moment.counter,
    )
    assert isinstance(done.report, CollapseReport)
    size = estimate(above, moment.counter)
    report = replace(
        done.report, tokens_before=done.report.tokens_before + size, tokens_after=done.report.tokens_after + size
    )
    done = replace(done, messages=[*above, *done.messages], report=report)
    committed = report.committed
    records = tuple(to_records(done.state, moment.session_id)) if committed else ()
    summary = "\n\n".join(commit.summary for commit in committed)
    mechanical = moment.effects.summarise_span is None and moment.mechanical
    applied = replace(moment.simple(done, records), summary=summary, mechanical=mechanical and bool(committed))
    if own.problem:
        why = f"Not every span was summed up: {own.problem}." if committed else f"No span was summed up: {own.problem}."
        applied = replace(applied, failed=not committed, why=f"{applied.why} {why}" if committed else why)
    return applied


def _session_memory(moment: Moment, config: NotesSettings) -> Applied:
    read = moment.effects.read_notes
    done = session_memory_compact(
        _after_boundary(moment.messages),
        read() if read is not None else None,
        config.notes,
        threshold=Limits(context_window(moment.model or None).tokens).threshold,
        occasion=moment.occasion(Trigger.MANUAL),
        attachments=moment.attachments(config.attachments),
    )
    return moment.compacted(done, mechanical=False)


def _full(moment: Moment, config: SummarySettings) -> Applied:
    full = moment.instructed(config.full)
    done = full_compact(
        moment.messages,
        moment.summarise(config.mechanical),
        full,
        occasion=moment.occasion(Trigger.MANUAL),
        attachments=moment.attachments(config.attachments),
    )
    return moment.compacted(done, mechanical=moment.mechanical)


def _partial(direction: Direction) -> Callable[[Moment, SummarySettings], Applied]:
    def act(moment: Moment, config: SummarySettings) -> Applied:
        wanted = moment.parameters.pivot
        pivot = pivot_of(moment.messages, wanted, direction, moment.model)
        done = partial_compact(
            moment.messages,
            pivot.uuid or wanted,
            direction,
            moment.summarise(config.mechanical),
            moment.instructed(config.full),
            occasion=moment.occasion(Trigger.MANUAL),
            attachments=moment.attachments(config.attachments),
        )
        made = moment.compacted(done, mechanical=moment.mechanical)
        if not pivot.obstacle or not made.done:
            return made
        return replace(made, why=f"{made.why} It is cut at {pivot.uuid}: at {wanted} {pivot.obstacle}.")

    return act


def _after_boundary(messages: Sequence[Message]) -> Sequence[Message]:
    """A context that begins with a summary begins at a boundary, which is not sent: the notes stand for both."""
    if not messages or is_boundary(messages[0]) or messages[0].kind is not MessageKind.SUMMARY:
        return messages
    return [Message("system", (), MessageKind.SUMMARY, f"before {messages[0].uuid}"), *messages]


def _auto(moment: Moment, config: AutoSettings) -> Applied:
    return automatic(moment, config)


_ACTIONS: Mapping[Kind, Callable[[Moment, Any], Applied]] = {
    Kind.BUDGET: _budget,
    Kind.SNIP: _snip,
    Kind.MICROCOMPACT: microcompacted,
    Kind.COLLAPSE: _collapse,
    Kind.SESSION_MEMORY: _session_memory,
    Kind.FULL: _full,
    Kind.PARTIAL_FROM: _partial(Direction.FROM),
    Kind.PARTIAL_UP_TO: _partial(Direction.UP_TO),
    Kind.AUTO: _auto,
}
