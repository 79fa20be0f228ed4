"""One conversation at one time, and what a kind of compaction needs beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from compaction.kinds.engine.kind import Applied, Kind, Parameters
from compaction.mechanisms.engine.attachments import AttachmentConfig
from compaction.mechanisms.engine.compaction.boundary import Trigger
from compaction.mechanisms.engine.compaction.occasion import Attempt, Occasion
from compaction.mechanisms.engine.compaction.record import Compaction
from compaction.mechanisms.engine.full.reply import FullConfig
from compaction.mechanisms.engine.full.request import Summarise
from compaction.mechanisms.engine.mechanical import MechanicalConfig, MechanicalSummariser
from compaction.mechanisms.engine.pipeline import Effects
from compaction.mechanisms.engine.report import Outcome
from sessions.transcripts.engine.messages import Message
from sessions.usage.engine.tokens import TokenCounter, estimate

_INTRODUCES = "Summary:\n"


@dataclass(frozen=True, slots=True)
class Moment:
    kind: Kind
    messages: Sequence[Message]
    parameters: Parameters
    effects: Effects
    now: float
    model: str
    overhead: int
    session_id: str
    counter: TokenCounter
    failures: int = 0
    """Of automatic compactions of this conversation, in a row."""

    @property
    def mechanical(self) -> bool:
        given = self.effects.summarise
        return given is None or isinstance(given, MechanicalSummariser)

    def summarise(self, config: MechanicalConfig) -> Summarise:
        return (
            MechanicalSummariser(config)
            if self.mechanical or self.effects.summarise is None
            else self.effects.summarise
        )

    def occasion(self, trigger: Trigger) -> Occasion:
        return self.effects.occasion(trigger, self.now, self.counter, self.model)

    def attachments(self, config: AttachmentConfig) -> AttachmentConfig:
        """Files that are attached again are a quarter of what there was at most: else a short conversation would not
        become shorter."""
        most = min(config.files.tokens_in_all, estimate(self.messages, self.counter) // 4)
        return replace(config, files=replace(config.files, tokens_in_all=most))

    def instructed(self, config: FullConfig) -> FullConfig:
        return replace(config, instructions=self.parameters.instructions or config.instructions)

    def simple(self, outcome: Outcome[Any], records: Sequence[Mapping[str, Any]] = ()) -> Applied:
        """Of a mechanism that writes no summary of everything."""
        report = outcome.report
        return Applied(
            self.kind,
            self.messages,
            outcome.messages if report.applied else self.messages,
            report.tokens_before,
            report.tokens_after,
            (report,),
            report.applied,
            why=report.why,
            records=tuple(records),
        )

    def compacted(self, outcome: Outcome[Attempt], *, mechanical: bool) -> Applied:
        made = outcome.state.compaction
        base = replace(self.simple(outcome), tokens_before=estimate(self.messages, self.counter))
        if made is None:
            # Nobody was asked, so nobody has failed: there was just too little to summarise.
            return replace(base, failed=outcome.state.failed and not mechanical)
        return replace(
            base, compaction=made, summary=summary_of(made), records=tuple(made.to_records()), mechanical=mechanical
        )


def summary_of(made: Compaction) -> str:
    """The summary itself, without the words around it that say what it is."""
    text = str(made.summary.content[0]["text"])
    return text.partition(_INTRODUCES)[2].strip() or text
