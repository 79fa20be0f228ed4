"""When notes are due: once there is something to note, and then whenever enough has happened and no call is open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sessions.text.engine.words import plural
from sessions.transcripts.engine.messages import Message, MessageKind

SIDE = "Notes are only taken of the main thread of a session."


@dataclass(frozen=True, slots=True)
class NotesThresholds:
    first: int = 10_000
    """Tokens of the context at which notes are taken for the first time."""
    growth: int = 5_000
    """Tokens by which the context has to grow until the next time, and"""
    calls: int = 3
    """so many tool calls, unless the last turn had none."""


@dataclass(frozen=True, slots=True)
class LastUpdate:
    """The state of the session when its notes were last updated."""

    tokens: int
    last_summarized: str = ""
    """The id of the last message that they cover; empty if it is not known."""


@dataclass(frozen=True, slots=True)
class DueCheck:
    is_due: bool
    why: str
    tokens: int
    """Of the context now."""
    grown: int | None = None
    """Tokens since the last time; None if notes were never taken."""
    calls: int = 0
    """Tool calls since."""
    idle: bool = True
    """The last turn has called no tool."""


def check_due(
    messages: Sequence[Message],
    tokens: int,
    last: LastUpdate | None,
    thresholds: NotesThresholds | None = None,
    *,
    main: bool = True,
) -> DueCheck:
    """`tokens`: of the context with these messages."""
    limits = thresholds or NotesThresholds()
    calls, idle = _count_calls_since(messages, last.last_summarized if last else ""), is_idle(messages)
    if not main:
        return DueCheck(False, SIDE, tokens, None, calls, idle)
    if last is None:
        enough = tokens >= limits.first
        why = f"The context has ~{tokens:,} tokens; notes are taken for the first time at {limits.first:,}."
        return DueCheck(enough, why, tokens, None, calls, idle)
    grown = tokens - last.tokens
    if grown < limits.growth:
        how = f"has grown by ~{grown:,} tokens" if grown >= 0 else f"has ~{-grown:,} tokens less"
        why = f"The context {how} since the notes were taken; they are taken again after {limits.growth:,}."
        return DueCheck(False, why, tokens, grown, calls, idle)
    growth = f"The context has grown by ~{grown:,} tokens since the notes were taken, with {plural(calls, 'tool call')}"
    if calls >= limits.calls:
        return DueCheck(True, f"{growth}; {limits.growth:,} and {limits.calls} are enough.", tokens, grown, calls, idle)
    if idle:
        return DueCheck(True, f"{growth}, and the last turn has called no tool.", tokens, grown, calls, idle)
    why = f"{growth}; it is in the middle of something, so {limits.calls} calls are waited for."
    return DueCheck(False, why, tokens, grown, calls, idle)


def _count_calls_since(messages: Sequence[Message], covered: str) -> int:
    """If the message is no longer in the context, all messages came after it."""
    start = next((index + 1 for index, message in enumerate(messages) if covered and message.uuid == covered), 0)
    return sum(map(_count_calls, messages[start:]))


def is_idle(messages: Sequence[Message]) -> bool:
    """Whether no record of the last answer has a call."""
    last = next((message for message in reversed(messages) if message.kind is MessageKind.ANSWER), None)
    if last is None:
        return True
    same = (
        message
        for message in messages
        if message is last or (last.message_id and message.message_id == last.message_id)
    )
    return not any(_count_calls(message) for message in same)


def _count_calls(message: Message) -> int:
    return sum(block.get("type") == "tool_use" for block in message.content)
