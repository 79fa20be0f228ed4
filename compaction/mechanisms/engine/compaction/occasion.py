"""What a compaction needs besides the messages: when and why it happens, and access to the world outside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from compaction.mechanisms.engine.attachments import ReadFile, Records, Surroundings, no_records
from compaction.mechanisms.engine.attachments.surroundings import read_nothing
from compaction.mechanisms.engine.compaction.boundary import Trigger
from compaction.mechanisms.engine.compaction.record import Compaction
from sessions.transcripts.engine.messages import Message
from sessions.usage.engine.tokens import TokenCounter, estimate_blocks


class Hooks(Protocol):
    """The hooks that a person has configured to run around a compaction. Their texts go to the model."""

    def pre_compact(self, trigger: Trigger, instructions: str) -> str: ...

    def session_start(self) -> Sequence[str]: ...

    def post_compact(self, trigger: Trigger, summary: str) -> Sequence[str]: ...


class NoHooks:
    def pre_compact(self, trigger: Trigger, instructions: str) -> str:
        return ""

    def session_start(self) -> Sequence[str]:
        return ()

    def post_compact(self, trigger: Trigger, summary: str) -> Sequence[str]:
        return ()


@dataclass(frozen=True, slots=True)
class Occasion:
    trigger: Trigger = Trigger.MANUAL
    now: float | None = None
    transcript_path: str = ""
    surroundings: Surroundings = field(default_factory=Surroundings)
    read_file: ReadFile = read_nothing
    records: Records = no_records
    pinned: frozenset[str] = frozenset()
    """Ids of messages that stay word for word."""
    pinned_elsewhere: Sequence[Message] = ()
    """Pinned messages that have left the context already."""
    client: str = ""
    """The version of the client that wrote the session, as far as that is known."""
    hooks: Hooks = field(default_factory=NoHooks)
    counter: TokenCounter = estimate_blocks
    model: str = ""
    """Some models sign what precedes their thinking: thinking is left out if that has changed."""
    whole: Sequence[Message] = ()
    """The conversation before any compaction, if the messages are a view of it."""
    refusal: str = ""
    """With which the API has refused the request as too long; empty if it did not, or again after a compaction."""
    autonomous: bool = False
    """The agent works without a person: after an automatic compaction it is told so again."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The result of an attempt to compact. One that was declined has no compaction and has not failed."""

    compaction: Compaction | None = None
    failed: bool = False
    requests: int = 0
    """How often the model was asked."""
