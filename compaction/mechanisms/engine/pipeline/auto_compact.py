"""Auto-compact: whether it is due, and the two ways of doing it, the cheap one first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from compaction.mechanisms.engine.collapse import suppresses_auto_compact
from compaction.mechanisms.engine.compaction.boundary import Trigger
from compaction.mechanisms.engine.compaction.occasion import Attempt, Occasion
from compaction.mechanisms.engine.compaction.record import Compaction, rebase, replay_compactions
from compaction.mechanisms.engine.conversation.turns import start_of_unanswered
from compaction.mechanisms.engine.full.compact import full_compact
from compaction.mechanisms.engine.guards.recompaction import Recompaction, is_just_compacted, track_recompaction
from compaction.mechanisms.engine.guards.recursion import may_compact
from compaction.mechanisms.engine.microcompact import MicrocompactState
from compaction.mechanisms.engine.pipeline.size import Savings
from compaction.mechanisms.engine.pipeline.work import Work
from compaction.mechanisms.engine.report import Outcome, Report
from compaction.mechanisms.engine.session_memory import session_memory_compact
from sessions.text.engine.words import plural
from sessions.transcripts.engine.messages import Message
from sessions.usage.engine.tokens import estimate

MECHANISM = "auto-compact"
CLEAN_UP = "clean-up"


@dataclass(frozen=True, slots=True)
class TrackedCompaction:
    compaction: Compaction
    recompaction: Recompaction


def auto_compact(work: Work, *, refusal: str = "") -> TrackedCompaction | None:
    """`refusal`: the error with which the API refused the request as too long, so that its size no longer matters."""
    forced = bool(refusal)
    declined = _reason_to_decline(work, forced)
    size = estimate(work.view, work.counter)
    why = declined or f"The context has ~{work.tokens:,} tokens, and the threshold is {_threshold(work)}."
    if forced and not declined:
        why = "The API has refused the request as too long."
    work.reports.append(Report(MECHANISM, not declined, why, size, size))
    if declined:
        return None
    unanswered = work.view[start_of_unanswered(work.view, work.effects.surroundings.process.error_at) :]
    answered = work.view[: len(work.view) - len(unanswered)]
    # A request that was refused right after a compaction is compacted as usual, because keeping more would fail again.
    occasion = replace(_occasion(work), refusal="" if is_just_compacted(answered) else refusal)
    for attempt in (_by_notes, _by_model):
        outcome = attempt(work, answered, occasion)
        work.reports.append(outcome.report)
        if outcome.state.failed:
            work.state = replace(work.state, breaker=work.state.breaker.after_failure())
        if outcome.state.compaction is not None:
            return record_compaction(work, outcome, outcome.state.compaction, unanswered)
    return None


def record_compaction(
    work: Work, outcome: Outcome[Attempt], compaction: Compaction, unanswered: Sequence[Message] = ()
) -> TrackedCompaction:
    """Makes the compaction part of the state, and clears what referred to the messages that are gone. `unanswered`
    follows what is left: the input that the next answer is for, with what was injected after it."""
    state, threshold = work.state, work.threshold
    view, history = _without_end(work.view, unanswered), _without_end(work.history, unanswered)
    last = state.compactions[-1] if state.compactions else None
    tracked = track_recompaction(work.history, last, threshold, work.config.source)
    compaction = rebase(compaction, view, history)
    whole = estimate(replay_compactions(work.history, (compaction,)), work.counter)
    saved = max(0, whole - estimate([*outcome.messages, *unanswered], work.counter))
    work.reports.append(_clean_up(work))
    microcompact = state.microcompact
    if work.config.main_thread:
        # Results cleared after a pause stay cleared in the kept messages; edits of the cache no longer apply.
        microcompact = MicrocompactState(timed=microcompact.timed)
        work.cache_edits = ()
    work.state = replace(
        state,
        compactions=(*state.compactions, compaction),
        microcompact=microcompact,
        breaker=state.breaker.after_success(),
        snip=replace(state.snip, baseline=None),
        savings=Savings(latest=saved),
    )
    work.view = [*outcome.messages, *unanswered]
    return TrackedCompaction(compaction, tracked)


def _clean_up(work: Work) -> Report:
    """Clears the state that a compaction ends. A sub-agent's compaction leaves alone what the whole session shares."""
    cached, size = work.state.microcompact.cached, estimate(work.view, work.counter)
    if not work.config.main_thread:
        why = f"A compaction of {work.config.source} empties nothing that the session shares."
        return Report(CLEAN_UP, False, why, size, size)
    if not cached.order:
        return Report(CLEAN_UP, False, "Nothing was remembered of results in the model's cache.", size, size)
    why = (
        f"Forgotten: {plural(len(cached.order), 'result')} that could be deleted from the model's cache, "
        f"{len(cached.deleted)} that had been, and {plural(len(cached.pinned), 'edit')} that every request repeated."
    )
    return Report(CLEAN_UP, True, why, size, size)


def _without_end(messages: Sequence[Message], end: Sequence[Message]) -> Sequence[Message]:
    if not end:
        return messages
    first = next(index for index in range(len(messages) - 1, -1, -1) if messages[index].uuid == end[0].uuid)
    return messages[:first]


def _reason_to_decline(work: Work, forced: bool) -> str:
    config = work.config
    if not config.auto.enabled:
        return "Auto-compact is switched off."
    if not may_compact(config.source):
        return f"Requests of {config.source} never compact: that would have no end."
    if not forced and suppresses_auto_compact(config.collapse):
        return _explain_collapse(work)
    if work.state.breaker.is_open(config.auto.most_failures):
        return f"It failed {plural(work.state.breaker.failures, 'time')} in a row and is not tried again."
    if not forced and work.tokens < work.threshold:
        return f"~{work.tokens:,} tokens are fewer than the threshold of {_threshold(work)}."
    return ""


def _threshold(work: Work) -> str:
    origin = work.config.auto.origin
    return f"{work.threshold:,}{f' ({origin})' if origin else ''}"


def _explain_collapse(work: Work) -> str:
    why = "Collapse is on, and auto-compact does not run beside it."
    if work.tokens < work.threshold:
        return f"{why} The context has ~{work.tokens:,} tokens; auto-compact would start at {work.threshold:,}."
    over = work.tokens - work.threshold
    return (
        f"{why} Collapse could not keep the context small: it has ~{work.tokens:,} tokens, ~{over:,} more than the "
        f"{work.threshold:,} at which auto-compact would start. Switch collapse off to have it compacted."
    )


def _by_notes(work: Work, messages: Sequence[Message], occasion: Occasion) -> Outcome[Attempt]:
    config, effects = work.config, work.effects
    reads_notes = config.session_memory.enabled and effects.read_notes is not None
    return session_memory_compact(
        messages,
        effects.read_notes() if reads_notes and effects.read_notes is not None else None,
        config.session_memory,
        last_summarized=work.state.last_summarized,
        threshold=work.threshold,
        occasion=occasion,
        attachments=config.attachments,
    )


def _by_model(work: Work, messages: Sequence[Message], occasion: Occasion) -> Outcome[Attempt]:
    config, effects = work.config, work.effects
    if effects.summarise is None:
        size = estimate(messages, work.counter)
        return Outcome(messages, Report("full compact", False, "There is no model to ask.", size, size), Attempt())
    return full_compact(messages, effects.summarise, config.full, occasion=occasion, attachments=config.attachments)


def _occasion(work: Work) -> Occasion:
    occasion = work.effects.occasion(Trigger.AUTO, work.now, work.counter, work.config.model, work.messages)
    return replace(occasion, autonomous=work.config.auto.autonomous)
