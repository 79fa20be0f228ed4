"""A run of the pipeline while it goes on: the view as far as it is made, and what each stage said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from compaction.mechanisms.engine.collapse import collapse
from compaction.mechanisms.engine.collapse.replay import replay_commits as collapse_replayed
from compaction.mechanisms.engine.compaction.record import replay_with_misfits
from compaction.mechanisms.engine.conversation.api_turns import api_turns_of
from compaction.mechanisms.engine.conversation.kept_range import has_to_think_first, loses_first_thoughts
from compaction.mechanisms.engine.microcompact import microcompact
from compaction.mechanisms.engine.pipeline.config import PipelineConfig
from compaction.mechanisms.engine.pipeline.effects import Effects
from compaction.mechanisms.engine.pipeline.size import Savings, since_last, sized
from compaction.mechanisms.engine.pipeline.state import PipelineState, Reminder
from compaction.mechanisms.engine.pipeline.thinking import without_dead_thinking, without_foreign_thinking
from compaction.mechanisms.engine.report import Report
from compaction.mechanisms.engine.snip.nudge import nudge
from compaction.mechanisms.engine.snip.removal import replay_snips as snips_replayed
from compaction.mechanisms.engine.snip.removal import tag_inputs
from compaction.mechanisms.engine.tool_result_limit.limit import PersistedResult, limit_tool_results
from sessions.transcripts.engine.messages import Message
from sessions.usage.engine.tokens import TokenCounter, estimate


@dataclass(slots=True)
class Work:
    given: Sequence[Message]
    state: PipelineState
    config: PipelineConfig
    effects: Effects
    now: float
    counter: TokenCounter
    told: Sequence[Message] = ()
    """The conversation with its reminders and compactions: what this run begins with."""
    shown: Sequence[Message] = ()
    reports: list[Report] = field(default_factory=list)
    cache_edits: tuple[Mapping[str, Any], ...] = ()
    persisted: tuple[PersistedResult, ...] = ()
    earlier: Savings = field(default_factory=Savings)
    """As the last run left them."""
    tokens: int = 0

    def prepare(self) -> None:
        """The stages that cost nothing, each with what the one before it has left."""
        self.earlier = self.state.savings
        self.replay()
        self.trim()
        self.clear()
        self.measure()
        self.collapse()

    @property
    def threshold(self) -> int:
        return self.config.limits.threshold

    def replay(self) -> None:
        # Reminders come first: a compaction may have covered or kept them like any other message.
        reminded = _with_reminders(self.given, self.state.reminders)
        self.told, unfit = replay_with_misfits(reminded, self.state.compactions)
        self.shown = self.told
        compactions, reminders = len(self.state.compactions) - len(unfit), len(self.state.reminders)
        if compactions or reminders or unfit:
            before, after = estimate(self.given, self.counter), estimate(self.told, self.counter)
            why = f"Applied again: earlier compactions ({compactions}) and reminders ({reminders})."
            why += f" Not applied, because made of other messages: {len(unfit)}." if unfit else ""
            self.reports.append(Report("replay", after != before, why, before, after))

    def trim(self) -> None:
        limited = limit_tool_results(self.shown, self.config.budget, self.state.budget, counter=self.counter)
        self.take_snips_back(limited.messages)
        snipped = snips_replayed(limited.messages, self.config.snip, self.state.snip, counter=self.counter)
        self.persisted = limited.persisted
        self.reports += [limited.report, snipped.report]
        self.shown = snipped.messages
        self.state = replace(self.state, budget=limited.state, snip=snipped.state)

    def take_snips_back(self, messages: Sequence[Message]) -> None:
        """A compaction may have made an earlier turn the beginning of the one that goes on. A snip that takes its first
        thoughts is taken back for good: applied later, it would change how requests begin without a new decision."""
        if not self.config.snip.enabled or not has_to_think_first(self.config.model):
            return
        for one in reversed(self.state.snip.snips):
            removed = self.state.snip.removed
            if not loses_first_thoughts(messages, {at for at, told in enumerate(messages) if told.uuid in removed}):
                return
            why = "A snip is taken back: the turn that goes on begins with what was thought in the snipped one."
            self.took_back("snip", why)
            self.state = replace(self.state, snip=self.state.snip.without(one.uuid))

    def take_commits_back(self) -> None:
        """The same for a span that was collapsed: collapse may have been off while that compaction was made."""
        if not self.config.collapse.enabled or not has_to_think_first(self.config.model):
            return
        while found := self.collapsed_thoughts():
            why = "A collapsed span is taken back: the turn that goes on begins with what was thought in it."
            self.took_back("collapse", why)
            self.state = replace(self.state, collapse=self.state.collapse.without(found))

    def collapsed_thoughts(self) -> str:
        """The commit whose span holds the thoughts that the latest turn has to begin with; empty if none does."""
        spans = collapse_replayed(self.shown, self.state.collapse.commits).spans
        gone = {at for span in spans for at in range(span.first, span.end)}
        if not spans or not loses_first_thoughts(self.shown, gone):
            return ""
        head = api_turns_of(self.shown).latest
        return next(span.commit.collapse_id for span in spans if head in range(span.first, span.end))

    def took_back(self, mechanism: str, why: str) -> None:
        size = estimate(self.shown, self.counter)
        self.reports.append(Report(f"{mechanism} taken back", True, why, size, size))

    def clear(self) -> None:
        cleared = microcompact(
            self.shown,
            self.config.microcompact,
            self.state.microcompact,
            now=self.now,
            main_thread=self.config.main_thread,
            supported=self.config.cache_edits,
            counter=self.counter,
        )
        self.reports += cleared.reports
        self.cache_edits = cleared.cache_edits
        self.shown = cleared.messages
        self.state = replace(self.state, microcompact=cleared.state)

    def measure(self) -> None:
        since = since_last(self.told, self.state.compactions)
        found = sized(self.told, self.shown, since, self.earlier, self.config.overhead, self.counter)
        self.tokens = found.tokens
        self.state = replace(self.state, savings=found.savings)

    def collapse(self) -> None:
        self.take_commits_back()
        collapsed = collapse(
            self.shown,
            self.config.collapse,
            self.state.collapse,
            limits=self.config.limits,
            tokens=self.tokens if self.state.savings.anchor else None,
            summarise=self.effects.summarise_span,
            announce=self.effects.announce_span,
            counter=self.counter,
        )
        self.reports.append(collapsed.report)
        self.shown = collapsed.messages
        self.state = replace(self.state, collapse=collapsed.state)
        self.measure()

    def remind(self) -> None:
        """The nudge to snip: it is kept, because later requests have to begin with the same bytes."""
        if not self.config.snip_tool:
            return
        nudged = nudge(self.shown, self.config.snip, self.state.snip, tokens=self.tokens, counter=self.counter)
        self.reports.append(nudged.report)
        self.state = replace(self.state, snip=nudged.state)
        if nudged.report.applied and self.given:
            reminder = Reminder(self.given[-1].uuid, nudged.messages[-1])
            self.shown = nudged.messages
            self.told = [*self.told, reminder.message]
            self.state = replace(self.state, reminders=(*self.state.reminders, reminder))

    def finish(self) -> None:
        own = without_foreign_thinking(self.shown, self.config.model, self.counter)
        if own.report.applied:
            self.reports.append(own.report)
        self.shown = own.messages
        living = without_dead_thinking(self.told, self.shown, self.state.bound, self.config.model, self.counter)
        self.reports.append(living.report)
        self.shown = living.messages
        self.state = replace(self.state, bound=living.state)
        if self.config.snip_tool:
            copy = tag_inputs(self.shown, self.config.snip, counter=self.counter)
            self.reports.append(copy.report)
            self.shown = copy.messages


def _with_reminders(messages: Sequence[Message], reminders: Sequence[Reminder]) -> Sequence[Message]:
    if not reminders:
        return messages
    there = {message.uuid for message in messages}
    following: dict[str, list[Message]] = {}
    for reminder in reminders:
        if reminder.message.uuid not in there:
            following.setdefault(reminder.after, []).append(reminder.message)
    return [one for message in messages for one in (message, *following.get(message.uuid, ()))]
