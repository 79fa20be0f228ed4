"""Context collapse before a request: replays commits, chooses spans that may be next, and commits those that must go
now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from compaction.mechanisms.engine.collapse.config import CollapseConfig
from compaction.mechanisms.engine.collapse.replay import CollapsedSpan, CollapsedView, SkippedCommit, replay_commits
from compaction.mechanisms.engine.collapse.spans import find_candidates
from compaction.mechanisms.engine.collapse.state import CollapseState, Commit, StagedSpan, commit_span
from compaction.mechanisms.engine.conversation.kept_range import places_held_by_thinking
from compaction.mechanisms.engine.report import Change, ChangeKind, Outcome, Report
from sessions.text.engine.words import plural
from sessions.transcripts.engine.messages import Message
from sessions.transcripts.engine.messages.cuts import Cuts, find_cuts
from sessions.usage.engine.tokens import Limits, TokenCounter, estimate, estimate_blocks

_NAME = "collapse"


class Summarise(Protocol):
    """Summarises a span; returns an empty text if it cannot."""

    def __call__(self, span: Sequence[Message], /) -> str: ...


class Announce(Protocol):
    """Called before each span is summarised, with its number and that of all."""

    def __call__(self, number: int, of: int, /) -> None: ...


@dataclass(frozen=True, slots=True)
class CollapseReport(Report):
    committed: tuple[Commit, ...] = ()
    """Those of this call, for the caller to record."""
    staged: tuple[StagedSpan, ...] = ()
    skipped: tuple[SkippedCommit, ...] = ()


def collapse(
    messages: Sequence[Message],
    config: CollapseConfig | None = None,
    state: CollapseState | None = None,
    *,
    limits: Limits | None = None,
    tokens: int | None = None,
    summarise: Summarise | None = None,
    announce: Announce | None = None,
    counter: TokenCounter = estimate_blocks,
) -> Outcome[CollapseState]:
    """`tokens` is the size of the context with earlier commits applied, if the API has counted it."""
    config, state, limits = config or CollapseConfig(), state or CollapseState(), limits or Limits()
    if not config.enabled:
        size = estimate(messages, counter)
        return Outcome(messages, CollapseReport(_NAME, False, "Collapse is switched off.", size, size), state)
    replayed = replay_commits(messages, state.commits)
    size = estimate(replayed.messages, counter) if tokens is None else tokens
    moment = _CollapseRun(size, config, limits, counter)
    view = replayed.messages
    legal = find_cuts(view) if size >= config.stage_at * limits.effective else None
    state = moment.stage_spans(view, legal, state)
    committed = moment.commit_spans(view, legal, state.staged, summarise, announce)
    if committed:
        names = {commit.first_uuid for commit in committed}
        left = tuple(span for span in state.staged if span.first_uuid not in names)
        state = replace(state, commits=(*state.commits, *committed), staged=left)
        replayed = replay_commits(messages, state.commits, legal if view is messages else None)
    return Outcome(replayed.messages, moment.report(messages, replayed, state, committed), state)


@dataclass(frozen=True, slots=True)
class _CollapseRun:
    """Collapse before one request: the size of the context, and the rules that apply."""

    size: int
    config: CollapseConfig
    limits: Limits
    counter: TokenCounter

    def stage_spans(self, view: Sequence[Message], legal: Cuts | None, state: CollapseState) -> CollapseState:
        config = self.config
        if legal is None:
            return replace(state, armed=False)
        pressing = self.size >= config.commit_at * self.limits.effective
        fresh = state.armed and 0 <= self.size - state.last_spawn_tokens < config.spawn_every
        if fresh and (state.staged or not pressing):
            return state
        # Beyond the threshold even a poor span is better than a request that does not fit.
        least = 0.0 if self.size >= self.limits.threshold else config.least_score
        summaries = {(span.first_uuid, span.last_uuid): span.summary for span in state.staged}
        candidates = [span for span in find_candidates(view, legal, config, self.counter) if span.score.total >= least]
        staged: list[StagedSpan] = []
        for span in candidates[: config.max_staged]:
            first, last = view[span.first].uuid, view[span.end - 1].uuid
            summary = summaries.get((first, last), "")
            staged.append(StagedSpan(first, last, span.tokens, round(span.score.total, 4), summary))
        return replace(state, staged=tuple(staged), armed=True, last_spawn_tokens=self.size)

    def commit_spans(
        self,
        view: Sequence[Message],
        legal: Cuts | None,
        staged: Sequence[StagedSpan],
        summarise: Summarise | None,
        announce: Announce | None,
    ) -> tuple[Commit, ...]:
        """Commits the best spans until the target is reached, but none whose summary would be larger than itself."""
        size, effective = self.size, self.limits.effective
        if legal is None or size < self.config.commit_at * effective:
            return ()
        places = {message.uuid: index for index, message in enumerate(view)}
        # A span may have been chosen when another turn was the latest.
        held = places_held_by_thinking(view)
        committed = []
        for number, staged_span in enumerate(staged, 1):
            first, end = places.get(staged_span.first_uuid), places.get(staged_span.last_uuid, -1) + 1
            if size <= self.config.target * effective or first is None or first >= end:
                continue
            if not legal.is_legal(first) or not legal.is_legal(end) or first in held or end in held:
                continue
            span = view[first:end]
            if announce is not None:
                announce(number, len(staged))
            summary = staged_span.summary or (summarise(span) if summarise else "")
            if not summary.strip():
                continue
            commit = commit_span(span, summary)
            saved = estimate(span, self.counter) - self.counter(commit.placeholder.content)
            if saved > 0:
                committed.append(commit)
                size -= saved
        return tuple(committed)

    def report(
        self, messages: Sequence[Message], replayed: CollapsedView, state: CollapseState, committed: Sequence[Commit]
    ) -> CollapseReport:
        new = {commit.collapse_id for commit in committed}
        changes: list[Change] = []
        for span in replayed.spans:
            changes += _changes(messages, span, span.commit.collapse_id in new, self.counter)
        before = estimate(messages, self.counter)
        return CollapseReport(
            _NAME,
            bool(replayed.spans),
            self.explain(len(committed), len(replayed.spans), state),
            before,
            before - sum(change.tokens_before - change.tokens_after for change in changes),
            tuple(changes),
            tuple(committed),
            state.staged,
            replayed.skipped,
        )

    def explain(self, committed: int, collapsed: int, state: CollapseState) -> str:
        size, effective = self.size, self.limits.effective
        stays = f" {plural(collapsed, 'span stays', 'spans stay')} collapsed." if collapsed else ""
        if committed:
            earlier = plural(collapsed - committed, "span stays", "spans stay")
            before = f"; {earlier} collapsed" if collapsed > committed else ""
            return f"At ~{size:,} tokens, {plural(committed, 'span was', 'spans were')} replaced{before}."
        if not state.armed:
            least = int(self.config.stage_at * effective)
            return f"~{size:,} tokens are fewer than the {least:,} from which spans are chosen.{stays}"
        if size < self.config.commit_at * effective:
            least = int(self.config.commit_at * effective)
            chosen = plural(len(state.staged), "span is chosen, to be", "spans are chosen, to be")
            return f"{chosen} replaced from {least:,} tokens on.{stays}"
        if not state.staged:
            return f"At ~{size:,} tokens, no span of early history is worth a summary.{stays}"
        without = plural(len(state.staged), "has", "have")
        return f"At ~{size:,} tokens, no span could be replaced; {without} no summary.{stays}"


def _changes(messages: Sequence[Message], span: CollapsedSpan, new: bool, counter: TokenCounter) -> list[Change]:
    placeholder = span.commit.placeholder
    why = f"It is part of the collapsed history {span.commit.collapse_id}{'' if new else ', as before'}."
    removals = [
        Change(ChangeKind.REMOVED, message.uuid, counter(message.content), 0, why)
        for message in messages[span.first : span.end]
    ]
    stands = f"It stands for {plural(len(removals), 'record')}."
    return [*removals, Change(ChangeKind.ADDED, placeholder.uuid, 0, counter(placeholder.content), stands)]
