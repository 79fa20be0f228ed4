"""All decisions of the pipeline so far. With them the same conversation gives the same bytes again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from compaction.mechanisms.engine.collapse import CollapseState
from compaction.mechanisms.engine.compaction.record import Compaction
from compaction.mechanisms.engine.guards.breaker import Breaker
from compaction.mechanisms.engine.microcompact import MicrocompactState
from compaction.mechanisms.engine.pipeline.size import Savings
from compaction.mechanisms.engine.pipeline.thinking import ThinkingPrints
from compaction.mechanisms.engine.snip.state import SnipState
from compaction.mechanisms.engine.tool_result_limit.replacements import ContentReplacementState
from sessions.transcripts.engine.messages import Message


@dataclass(frozen=True, slots=True)
class Reminder:
    """A message that was inserted, and the id of the one that it follows."""

    after: str
    message: Message


@dataclass(frozen=True, slots=True)
class PipelineState:
    compactions: tuple[Compaction, ...] = ()
    """In order; each was made from what the ones before it had left."""
    budget: ContentReplacementState = field(default_factory=ContentReplacementState)
    snip: SnipState = field(default_factory=SnipState)
    reminders: tuple[Reminder, ...] = ()
    microcompact: MicrocompactState = field(default_factory=MicrocompactState)
    collapse: CollapseState = field(default_factory=CollapseState)
    breaker: Breaker = field(default_factory=Breaker)
    last_summarized: str = ""
    """The last message that the notes of the session cover."""
    savings: Savings = field(default_factory=Savings)
    bound: ThinkingPrints = field(default_factory=ThinkingPrints)

    def without_compaction(self, boundary: str) -> PipelineState:
        """Undoes a compaction, and those that were made on top of it: the messages are back."""
        position = next(
            (index for index, compaction in enumerate(self.compactions) if compaction.boundary.uuid == boundary), None
        )
        return self if position is None else replace(self, compactions=self.compactions[:position])

    def to_json(self) -> dict[str, Any]:
        own = ("compactions", "reminders", "breaker", "savings", "bound")
        saved = {name: msgspec.to_builtins(getattr(self, name)) for name in own}
        parts = ("budget", "snip", "microcompact", "collapse")
        saved |= {name: getattr(self, name).to_json() for name in parts}
        return saved | {"last_summarized": self.last_summarized}

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> PipelineState:
        return cls(
            compactions=msgspec.convert(saved["compactions"], tuple[Compaction, ...]),
            budget=ContentReplacementState.from_json(saved["budget"]),
            snip=SnipState.from_json(saved["snip"]),
            reminders=msgspec.convert(saved["reminders"], tuple[Reminder, ...]),
            microcompact=MicrocompactState.from_json(saved["microcompact"]),
            collapse=CollapseState.from_json(saved["collapse"]),
            breaker=msgspec.convert(saved["breaker"], Breaker),
            last_summarized=saved["last_summarized"],
            savings=msgspec.convert(saved["savings"], Savings),
            bound=msgspec.convert(saved["bound"], ThinkingPrints),
        )

    def to_bytes(self) -> bytes:
        # Unlike faster writers, this one keeps lone surrogates, which transcripts contain.
        return json.dumps(self.to_json(), separators=(",", ":"), sort_keys=True).encode()

    @classmethod
    def from_bytes(cls, saved: bytes) -> PipelineState:
        return cls.from_json(json.loads(saved))
