"""A run of the pipeline in progress: the view so far, and the reports of its stages."""

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
from compaction.mechanisms.engine.microcompact.cached import tokens_deleted
from compaction.mechanisms.engine.pipeline.config import PipelineConfig
from compaction.mechanisms.engine.pipeline.effects import Effects
from compaction.mechanisms.engine.pipeline.size import Savings, index_after_compaction, measure_request
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
    messages: Sequence[Message]
    state: PipelineState
    config: PipelineConfig
    effects: Effects
    now: float
    counter: TokenCounter
    history: Sequence[Message] = ()
    """The conversation with its reminders and compactions: what this run begins with."""
    view: Sequence[Message] = ()
    reports: list[Report] = field(default_factory=list)
    cache_edits: tuple[Mapping[str, Any], ...] = ()
    persisted: tuple[PersistedResult, ...] = ()
    earlier_savings: Savings = field(default_factory=Savings)
    """As the last run left them."""
    tokens: int = 0

    @property
    def deleted(self) -> int:
        """Tokens of the view that are deleted from the model's cache."""
        return tokens_deleted(self.view, self.state.microcompact.cached, self.counter) if self.cache_edits else 0

    def prepare(self) -> None:
        """Runs the stages that cost nothing, each on what the one before it has left."""
        self.earlier_savings = self.state.savings
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
        reminded = _with_reminders(self.messages, self.state.reminders)
        self.history, unfit = replay_with_misfits(reminded, self.state.compactions)
        self.view = self.history
        compactions, reminders = len(self.state.compactions) - len(unfit), len(self.state.reminders)
        if compactions or reminders or unfit:
            before, after = estimate(self.messages, self.counter), estimate(self.history, self.counter)
            why = f"Applied again: earlier compactions ({compactions}) and reminders ({reminders})."
            why += f" Not applied, because made of other messages: {len(unfit)}." if unfit else ""
            self.reports.append(Report("replay", after != before, why, before, after))

    def trim(self) -> None:
        limited = limit_tool_results(self.view, self.config.budget, self.state.budget, counter=self.counter)
        self.undo_snips(limited.messages)
        snipped = snips_replayed(limited.messages, self.config.snip, self.state.snip, counter=self.counter)
        self.persisted = limited.persisted
        self.reports += [limited.report, snipped.report]
        self.view = snipped.messages
        self.state = replace(self.state, budget=limited.state, snip=snipped.state)

    def undo_snips(self, messages: Sequence[Message]) -> None:
        """Takes back snips of the first thoughts of the turn that goes on: a compaction may have joined an earlier turn
        to it. They stay undone: applied later, they would change how requests begin without a new decision."""
        if not self.config.snip.enabled or not has_to_think_first(self.config.model):
            return
        for snip in reversed(self.state.snip.snips):
            removed = self.state.snip.removed
            if not loses_first_thoughts(
                messages, {index for index, message in enumerate(messages) if message.uuid in removed}
            ):
                return
            why = "A snip is taken back: the turn that goes on begins with what was thought in the snipped one."
            self.report_undo("snip", why)
            self.state = replace(self.state, snip=self.state.snip.without(snip.uuid))

    def undo_collapses(self) -> None:
        """Does the same for collapsed spans: collapse may have been off while that compaction was made."""
        if not self.config.collapse.enabled or not has_to_think_first(self.config.model):
            return
        while collapse_id := self.find_collapsed_thoughts():
            why = "A collapsed span is taken back: the turn that goes on begins with what was thought in it."
            self.report_undo("collapse", why)
            self.state = replace(self.state, collapse=self.state.collapse.without(collapse_id))

    def find_collapsed_thoughts(self) -> str:
        """The commit whose span holds the thoughts with which the latest turn must begin; empty if none does."""
        spans = collapse_replayed(self.view, self.state.collapse.commits).spans
        indexes = {index for span in spans for index in range(span.first, span.end)}
        if not spans or not loses_first_thoughts(self.view, indexes):
            return ""
        head = api_turns_of(self.view).latest
        return next(span.commit.collapse_id for span in spans if head in range(span.first, span.end))

    def report_undo(self, mechanism: str, why: str) -> None:
        size = estimate(self.view, self.counter)
        self.reports.append(Report(f"{mechanism} taken back", True, why, size, size))

    def clear(self) -> None:
        cleared = microcompact(
            self.view,
            self.config.microcompact,
            self.state.microcompact,
            now=self.now,
            main_thread=self.config.main_thread,
            supported=self.config.cache_edits,
            counter=self.counter,
        )
        self.reports += cleared.reports
        self.cache_edits = cleared.cache_edits
        self.view = cleared.messages
        self.state = replace(self.state, microcompact=cleared.state)

    def measure(self) -> None:
        since = index_after_compaction(self.history, self.state.compactions)
        size = measure_request(
            self.history,
            self.view,
            since,
            self.earlier_savings,
            self.config.overhead,
            self.counter,
            deleted=self.deleted,
        )
        self.tokens = size.tokens
        self.state = replace(self.state, savings=size.savings)

    def collapse(self) -> None:
        self.undo_collapses()
        collapsed = collapse(
            self.view,
            self.config.collapse,
            self.state.collapse,
            limits=self.config.limits,
            tokens=self.tokens if self.state.savings.anchor else None,
            summarise=self.effects.summarise_span,
            announce=self.effects.announce_span,
            counter=self.counter,
        )
        self.reports.append(collapsed.report)
        self.view = collapsed.messages
        self.state = replace(self.state, collapse=collapsed.state)
        self.measure()

    def remind(self) -> None:
        """The nudge to snip: it is kept, because later requests have to begin with the same bytes."""
        if not self.config.snip_tool:
            return
        nudged = nudge(self.view, self.config.snip, self.state.snip, tokens=self.tokens, counter=self.counter)
        self.reports.append(nudged.report)
        self.state = replace(self.state, snip=nudged.state)
        if nudged.report.applied and self.messages:
            reminder = Reminder(self.messages[-1].uuid, nudged.messages[-1])
            self.view = nudged.messages
            self.history = [*self.history, reminder.message]
            self.state = replace(self.state, reminders=(*self.state.reminders, reminder))

    def finish(self) -> None:
        own = without_foreign_thinking(self.view, self.config.model, self.counter)
        if own.report.applied:
            self.reports.append(own.report)
        self.view = own.messages
        living = without_dead_thinking(self.history, self.view, self.state.bound, self.config.model, self.counter)
        self.reports.append(living.report)
        self.view = living.messages
        self.state = replace(self.state, bound=living.state)
        if self.config.snip_tool:
            copy = tag_inputs(self.view, self.config.snip, counter=self.counter)
            self.reports.append(copy.report)
            self.view = copy.messages


def _with_reminders(messages: Sequence[Message], reminders: Sequence[Reminder]) -> Sequence[Message]:
    if not reminders:
        return messages
    present = {message.uuid for message in messages}
    following: dict[str, list[Message]] = {}
    for reminder in reminders:
        if reminder.message.uuid not in present:
            following.setdefault(reminder.after, []).append(reminder.message)
    return [item for message in messages for item in (message, *following.get(message.uuid, ()))]
