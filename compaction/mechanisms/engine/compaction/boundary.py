"""The boundary of a compaction: what the transcript keeps of it, and where it stands among the messages.

The model never sees a boundary. Among messages it is an empty one, so that code that cuts a conversation finds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sessions.transcripts.engine.messages import Message, MessageKind


class Trigger(StrEnum):
    MANUAL = "manual"
    AUTO = "auto"


class Direction(StrEnum):
    """Which side of a pivot a partial compaction summarised."""

    FROM = "from"
    UP_TO = "up_to"


@dataclass(frozen=True, slots=True)
class PreservedSegment:
    """The kept messages, from head to tail. The anchor is the parent of the head."""

    head_uuid: str
    anchor_uuid: str
    tail_uuid: str


@dataclass(frozen=True, slots=True)
class PreservedMessages:
    anchor_uuid: str
    uuids: tuple[str, ...]
    all_uuids: tuple[str, ...]
    """Including those that were never written to disk."""


@dataclass(frozen=True, slots=True)
class Boundary:
    uuid: str
    trigger: Trigger
    pre_tokens: int
    """As the API counted the latest answer, with an estimate of what followed; of all, if there is no such count."""
    post_tokens: int | None = None
    messages_summarized: int | None = None
    discovered_tools: tuple[str, ...] = ()
    preserved_segment: PreservedSegment | None = None
    preserved_messages: PreservedMessages | None = None
    logical_parent_uuid: str | None = None
    """The last message before the compaction: the record itself has no parent."""

    def to_record(self) -> dict[str, Any]:
        """The `compact_boundary` record, without the envelope that depends on session and client."""
        return {
            "parentUuid": None,
            "logicalParentUuid": self.logical_parent_uuid,
            "type": "system",
            "subtype": "compact_boundary",
            "content": "Conversation compacted",
            "level": "info",
            "compactMetadata": self._metadata(),
            "uuid": self.uuid,
        }

    def _metadata(self) -> dict[str, Any]:
        metadata: dict[str, Any] = {"trigger": str(self.trigger), "preTokens": self.pre_tokens}
        if self.post_tokens is not None:
            metadata["postTokens"] = self.post_tokens
        if self.messages_summarized is not None:
            metadata["messagesSummarized"] = self.messages_summarized
        if self.discovered_tools:
            metadata["preCompactDiscoveredTools"] = list(self.discovered_tools)
        if (segment := self.preserved_segment) is not None:
            metadata["preservedSegment"] = {
                "headUuid": segment.head_uuid,
                "anchorUuid": segment.anchor_uuid,
                "tailUuid": segment.tail_uuid,
            }
        if (preserved := self.preserved_messages) is not None:
            metadata["preservedMessages"] = {
                "anchorUuid": preserved.anchor_uuid,
                "uuids": list(preserved.uuids),
                "allUuids": list(preserved.all_uuids),
            }
        return metadata

    def to_message(self, made_at: float | None = None) -> Message:
        return Message("system", (), MessageKind.SUMMARY, self.uuid, at=made_at)


def is_boundary(message: Message) -> bool:
    return message.role == "system" and message.kind is MessageKind.SUMMARY


def index_after_boundary(messages: Sequence[Message]) -> int:
    """The index of the first message after the last boundary; 0 without one."""
    for place in range(len(messages) - 1, -1, -1):
        if is_boundary(messages[place]):
            return place + 1
    return 0
