"""Context collapse before a request: replay what was committed, choose what may be next, commit what must go now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from compaction.engine.collapse.config import CollapseConfig
from compaction.engine.collapse.replay import Replayed, Skipped, Span, replay
from compaction.engine.collapse.spans import candidates
from compaction.engine.collapse.state import CollapseState, Commit, Staged, made
from compaction.engine.report import Change, Outcome, Report, What
from sessions.engine.messages import Message
from sessions.engine.tokens import Limits, TokenCounter, estimate, estimate_blocks

_NAME = "collapse"


class Summarise(Protocol):
    """Sums up a span; nothing if it cannot."""

    def __call__(self, span: Sequence[Message], /) -> str: ...


@dataclass(frozen=True, slots=True)
class CollapseReport(Report):
    committed: tuple[Commit, ...] = ()
    """In this call, for the caller to record."""
    staged: tuple[Staged, ...] = ()
    skipped: tuple[Skipped, ...] = ()


def collapse(
    messages: Sequence[Message],
    config: CollapseConfig | None = None,
    state: CollapseState | None = None,
    *,
    limits: Limits | None = None,
    tokens: int | None = None,
    summarise: Summarise | None = None,
    counter: TokenCounter = estimate_blocks,
) -> Outcome[CollapseState]:
    """`tokens` is the size of the context with earlier commits applied, where the API has counted it."""
    config, state, limits = config or CollapseConfig(), state or CollapseState(), limits or Limits()
    before = estimate(messages, counter)
    if not config.enabled:
        return Outcome(messages, CollapseReport(_NAME, False, "Collapse is switched off.", before, before), state)
    replayed = replay(messages, state.commits)
    view = replayed.messages
    size = estimate(view, counter) if tokens is None else tokens
    staged = _stage(view, config, state, size, limits, counter)
    committed: list[Commit] = []
    if size >= config.commit_at * limits.effective:
        committed = _commit(view, config, staged, size, limits, summarise, counter)
    names = {commit.first_uuid for commit in committed}
    left = tuple(span for span in staged.staged if span.first_uuid not in names)
    after = replace(staged, commits=(*staged.commits, *committed), staged=left)
    done = replay(messages, after.commits) if committed else replayed
    return Outcome(
        done.messages, _report(messages, before, done, committed, after, size, config, limits, counter), after
    )


def _stage(
    view: Sequence[Message],
    config: CollapseConfig,
    state: CollapseState,
    size: int,
    limits: Limits,
    counter: TokenCounter,
) -> CollapseState:
    if size < config.stage_at * limits.effective:
        return replace(state, armed=False)
    if state.armed and 0 <= size - state.last_spawn_tokens < config.spawn_every:
        return state
    # Beyond the threshold the choice is between a poor span and a request that does not fit.
    pressed = size >= limits.threshold
    written = {(one.first_uuid, one.last_uuid): one.summary for one in state.staged}
    staged = []
    for one in candidates(view, config, counter):
        if len(staged) < config.max_staged and (pressed or one.score.total >= config.least_score):
            ends = view[one.first].uuid, view[one.end - 1].uuid
            staged.append(Staged(*ends, one.tokens, round(one.score.total, 4), written.get(ends, "")))
    return replace(state, staged=tuple(staged), armed=True, last_spawn_tokens=size)


def _commit(
    view: Sequence[Message],
    config: CollapseConfig,
    state: CollapseState,
    size: int,
    limits: Limits,
    summarise: Summarise | None,
    counter: TokenCounter,
) -> list[Commit]:
    """Best first, until the target is reached; a summary that would be larger than its span is not taken."""
    places = {message.uuid: at for at, message in enumerate(view)}
    committed = []
    for one in state.staged:
        if size <= config.target * limits.effective:
            break
        if one.first_uuid not in places or one.last_uuid not in places:
            continue
        span = view[places[one.first_uuid] : places[one.last_uuid] + 1]
        summary = one.summary or (summarise(span) if summarise and span else "")
        if not summary.strip():
            continue
        commit = made(span, summary)
        saved = estimate(span, counter) - counter(commit.placeholder.content)
        if saved > 0:
            committed.append(commit)
            size -= saved
    return committed


def _report(
    messages: Sequence[Message],
    before: int,
    done: Replayed,
    committed: Sequence[Commit],
    state: CollapseState,
    size: int,
    config: CollapseConfig,
    limits: Limits,
    counter: TokenCounter,
) -> CollapseReport:
    new = {commit.collapse_id for commit in committed}
    changes = [
        change for span in done.spans for change in _changes(messages, span, span.commit.collapse_id in new, counter)
    ]
    after = before - sum(change.tokens_before - change.tokens_after for change in changes)
    return CollapseReport(
        _NAME,
        bool(done.spans),
        _why(len(committed), len(done.spans), state, size, config, limits),
        before,
        after,
        tuple(changes),
        tuple(committed),
        state.staged,
        done.skipped,
    )


def _changes(messages: Sequence[Message], span: Span, new: bool, counter: TokenCounter) -> list[Change]:
    placeholder = span.commit.placeholder
    why = f"It is part of the collapsed history {span.commit.collapse_id}{'' if new else ', as before'}."
    gone = [
        Change(What.REMOVED, message.uuid, counter(message.content), 0, why)
        for message in messages[span.first : span.end]
    ]
    stands = f"It stands for {len(gone)} messages."
    return [*gone, Change(What.ADDED, placeholder.uuid, 0, counter(placeholder.content), stands)]


def _why(
    committed: int, all_of_them: int, state: CollapseState, size: int, config: CollapseConfig, limits: Limits
) -> str:
    if committed:
        return f"At {size:,} tokens {committed} of {all_of_them} collapsed spans were replaced now."
    stands = f" {all_of_them} spans stay collapsed." if all_of_them else ""
    if not state.armed:
        at = int(config.stage_at * limits.effective)
        return f"{size:,} tokens are fewer than the {at:,} from which spans are chosen.{stands}"
    if size < config.commit_at * limits.effective:
        at = int(config.commit_at * limits.effective)
        return f"{len(state.staged)} spans are chosen; they are replaced from {at:,} tokens on.{stands}"
    return f"At {size:,} tokens no span could be replaced: {len(state.staged)} wait for a summary.{stands}"
