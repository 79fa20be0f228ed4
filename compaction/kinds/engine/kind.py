"""The kinds of compaction, what each has to be told, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from compaction.mechanisms.engine.compaction.record import Compaction
from compaction.mechanisms.engine.report import Report
from compaction.mechanisms.engine.tool_result_limit.limit import Persisted
from sessions.transcripts.engine.messages import Message, join_messages


class Kind(StrEnum):
    BUDGET = "budget"
    SNIP = "snip"
    MICROCOMPACT = "microcompact"
    COLLAPSE = "collapse"
    SESSION_MEMORY = "session-memory"
    FULL = "full"
    PARTIAL_FROM = "partial-from"
    PARTIAL_UP_TO = "partial-up-to"
    AUTO = "auto"


class KindError(ValueError):
    """What was asked for makes no sense. The text says what would."""


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


@dataclass(frozen=True, slots=True)
class Applied:
    """What a kind made of a conversation. Where it declined, `after` is what was before, and `why` tells the reason."""

    kind: Kind
    before: Sequence[Message]
    after: Sequence[Message]
    tokens_before: int
    tokens_after: int
    """As the model sees them: of results that are deleted from its cache, the array keeps the text."""
    reports: tuple[Report, ...]
    """In the order in which mechanisms ran; at least one."""
    done: bool
    """Something has changed."""
    failed: bool = False
    """A summary was asked for, and there is none."""
    why: str = ""
    mechanical: bool = False
    """The summary was written without a model."""
    compaction: Compaction | None = None
    summary: str = ""
    records: tuple[Mapping[str, Any], ...] = ()
    """Lines that would tell a transcript of it, without their envelope."""
    persisted: tuple[Persisted, ...] = ()
    cache_edits: tuple[Mapping[str, Any], ...] = ()
    failures: int = 0
    """Of automatic compactions, in a row, with this one."""

    @property
    def kept(self) -> tuple[str, ...]:
        """Messages that are still there, changed or not."""
        there = {message.uuid for message in self.after if message.content}
        return tuple(message.uuid for message in self.before if message.content and message.uuid in there)

    @property
    def dropped(self) -> tuple[str, ...]:
        there = {message.uuid for message in self.after if message.content}
        return tuple(message.uuid for message in self.before if message.content and message.uuid not in there)

    @property
    def messages_before(self) -> int:
        """Elements of the array that is sent."""
        return len(join_messages(self.before))

    @property
    def messages_after(self) -> int:
        return len(join_messages(self.after))
