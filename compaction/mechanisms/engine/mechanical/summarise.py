"""A summariser that asks nobody: the reply is made of the messages that a model would have been sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from compaction.mechanisms.engine.full.prompt import Variant
from compaction.mechanisms.engine.full.request import SummaryRequest
from compaction.mechanisms.engine.mechanical.config import MechanicalConfig
from compaction.mechanisms.engine.mechanical.facts import facts_of
from compaction.mechanisms.engine.mechanical.summary import mechanical_summary
from sessions.transcripts.engine.messages import Message


@dataclass(frozen=True, slots=True)
class Mechanical:
    config: MechanicalConfig = field(default_factory=MechanicalConfig)

    def __call__(self, request: SummaryRequest, /) -> str:
        messages = request.messages[:-1]  # the last is the instruction
        begin = next((at for at, message in enumerate(messages) if message.uuid == request.begins_at), 0)
        return f"<summary>\n{self.text(messages[begin:], request.variant)}\n</summary>"

    def text(self, messages: Sequence[Message], variant: Variant = Variant.FULL) -> str:
        return mechanical_summary(facts_of(messages), self.config, variant)
