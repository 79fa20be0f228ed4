"""A conversation to be compacted, and what its kind of compaction needs for that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from compaction.kinds.engine.result import CompactionResult
from compaction.mechanisms.engine.attachments import AttachmentConfig
from compaction.mechanisms.engine.compaction.boundary import Trigger
from compaction.mechanisms.engine.compaction.occasion import Attempt, Occasion
from compaction.mechanisms.engine.compaction.record import Compaction
from compaction.mechanisms.engine.full.reply import FullConfig
from compaction.mechanisms.engine.full.request import Summarise
from compaction.mechanisms.engine.mechanical import MechanicalConfig, MechanicalSummariser
from compaction.mechanisms.engine.pipeline import Effects
from compaction.mechanisms.engine.report import Outcome
from compaction.mechanisms.engine.rules import ARTICLES, CompactionRules, rules_of
from sessions.transcripts.engine.messages import Message
from sessions.usage.engine.tokens import Limits, TokenCounter, context_window, estimate


@dataclass(frozen=True, slots=True)
class Parameters:
    pivot: str = ""
    """Of a partial compaction: the uuid of a message."""
    ids: tuple[str, ...] = ()
    """Of a snip: short ids or uuids of the inputs whose turns go."""
    instructions: str = ""
    """What a summary should observe."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Name -> value, both as they were typed."""
    pinned: tuple[str, ...] = ()
    """Ids of messages that stay word for word, beside those that are pinned in the session."""


@dataclass(frozen=True, slots=True)
class Job:
    messages: Sequence[Message]
    parameters: Parameters
    effects: Effects
    now: float
    model: str
    overhead: int
    session_id: str
    counter: TokenCounter
    failures: int = 0
    """Automatic compactions of this conversation that have failed in a row."""
    error: str = ""
    """With which the API refused the latest request as too long."""

    @property
    def is_mechanical(self) -> bool:
        """No model writes the summary."""
        return self.effects.summarise is None or isinstance(self.effects.summarise, MechanicalSummariser)

    def summariser(self, config: MechanicalConfig) -> Summarise:
        return (
            MechanicalSummariser(config)
            if self.is_mechanical or self.effects.summarise is None
            else self.effects.summarise
        )

    def occasion(self, trigger: Trigger) -> Occasion:
        return self.effects.occasion(trigger, self.now, self.counter, self.model)

    def rules(self, config: AttachmentConfig) -> CompactionRules:
        return rules_of(config.rules, self.effects.client)

    def limits(self, config: AttachmentConfig) -> Limits:
        """Of the session's model and requests."""
        window = context_window(self.model or None, betas=self.effects.betas)
        return Limits(window.tokens, self.longest_answer(config))

    def longest_answer(self, config: AttachmentConfig) -> int:
        return self.effects.max_output if self.rules(config).reserves_longest_answer else 0

    def limit_attachments(self, config: AttachmentConfig) -> AttachmentConfig:
        """By the rules of the articles, files attached again may have a quarter of the tokens before, because a short
        conversation would otherwise not become shorter. Clients do not limit this."""
        if self.rules(config) != ARTICLES:
            return config
        most = min(config.files.tokens_in_all, estimate(self.messages, self.counter) // 4)
        return replace(config, files=replace(config.files, tokens_in_all=most))

    def holds_pinned(self, uuids: Iterable[str]) -> bool:
        return not self.effects.pinned.isdisjoint(uuids)

    def add_instructions(self, config: FullConfig) -> FullConfig:
        return replace(config, instructions=self.parameters.instructions or config.instructions)

    def report(self, outcome: Outcome[Any], records: Sequence[Mapping[str, Any]] = ()) -> CompactionResult:
        """The result of a mechanism that does not summarise everything."""
        report = outcome.report
        return CompactionResult(
            self.messages,
            outcome.messages if report.applied else self.messages,
            report.tokens_before,
            report.tokens_after,
            (report,),
            report.applied,
            why=report.why,
            records=tuple(records),
        )

    def report_summary(self, outcome: Outcome[Attempt], *, mechanical: bool) -> CompactionResult:
        compaction = outcome.state.compaction
        applied = replace(self.report(outcome), tokens_before=estimate(self.messages, self.counter))
        if compaction is None:
            # Without a request nothing has failed; there was just too little to summarise.
            return replace(applied, failed=outcome.state.failed and not mechanical)
        return replace(
            applied,
            compaction=compaction,
            summary=summary_of(compaction),
            records=tuple(compaction.to_records()),
            mechanical=mechanical,
        )


def summary_of(compaction: Compaction) -> str:
    """The summary alone, without its frame and attachments."""
    return compaction.text.strip()
