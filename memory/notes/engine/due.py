"""When notes are due: once there is something to note, and then whenever enough has happened and nothing is amid."""

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
class LastTaken:
    """How the session was when its notes were last brought up to date."""

    tokens: int
    last_summarized: str = ""
    """The id of the last message that they cover; empty if it is not known."""


@dataclass(frozen=True, slots=True)
class Due:
    due: bool
    why: str
    tokens: int
    """Of the context now."""
    grown: int | None = None
    """Tokens since the last time; None if notes were never taken."""
    calls: int = 0
    """Tool calls since."""
    resting: bool = True
    """The last turn has called no tool."""


def due(
    messages: Sequence[Message],
    tokens: int,
    last: LastTaken | None,
    thresholds: NotesThresholds | None = None,
    *,
    main: bool = True,
) -> Due:
    """`tokens`: of the context that is made of these messages."""
    limits = thresholds or NotesThresholds()
    calls, idle = _calls_since(messages, last.last_summarized if last else ""), resting(messages)
    if not main:
        return Due(False, SIDE, tokens, None, calls, idle)
    if last is None:
        enough = tokens >= limits.first
        why = f"The context has {tokens:,} tokens; notes are taken for the first time at {limits.first:,}."
        return Due(enough, why, tokens, None, calls, idle)
    grown = tokens - last.tokens
    if grown < limits.growth:
        how = f"has grown by {grown:,} tokens" if grown >= 0 else f"has {-grown:,} tokens less"
        why = f"The context {how} since the notes were taken; they are taken again after {limits.growth:,}."
        return Due(False, why, tokens, grown, calls, idle)
    made = f"The context has grown by {grown:,} tokens since the notes were taken, with {plural(calls, 'tool call')}"
    if calls >= limits.calls:
        return Due(True, f"{made}; {limits.growth:,} and {limits.calls} are enough.", tokens, grown, calls, idle)
    if idle:
        return Due(True, f"{made}, and the last turn has called no tool.", tokens, grown, calls, idle)
    why = f"{made}; it is in the middle of something, so {limits.calls} calls are waited for."
    return Due(False, why, tokens, grown, calls, idle)


def _calls_since(messages: Sequence[Message], covered: str) -> int:
    """Where the message is not here any more, all that is here came after it."""
    start = next((at + 1 for at, one in enumerate(messages) if covered and one.uuid == covered), 0)
    return sum(map(_calls, messages[start:]))


def resting(messages: Sequence[Message]) -> bool:
    """Whether the last answer, all of its records, has no call."""
    last = next((one for one in reversed(messages) if one.kind is MessageKind.ANSWER), None)
    if last is None:
        return True
    same = (one for one in messages if one is last or (last.message_id and one.message_id == last.message_id))
    return not any(_calls(one) for one in same)


def _calls(message: Message) -> int:
    return sum(block.get("type") == "tool_use" for block in message.content)
