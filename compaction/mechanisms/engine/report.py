"""What a mechanism did to a conversation, and why, with everything that a page shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from sessions.transcripts.engine.messages import Message

State = TypeVar("State")


class ChangeKind(StrEnum):
    REMOVED = "removed"
    REPLACED = "replaced"
    """Only some of its content: the message is still there."""
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Change:
    kind: ChangeKind
    uuid: str
    """Of the message."""
    tokens_before: int
    tokens_after: int
    why: str
    """A sentence for people."""
    tool_use_id: str = ""
    """Where a single result or call was changed."""


@dataclass(frozen=True, slots=True)
class Report:
    mechanism: str
    applied: bool
    why: str
    """A sentence: what happened, or why nothing did."""
    tokens_before: int
    tokens_after: int
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome(Generic[State]):
    """`state` goes into the next call of the mechanism, so that it decides the same again."""

    messages: Sequence[Message]
    report: Report
    state: State
