"""Conversations written by hand, a line for each record, and what every mechanism has to leave whole."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid5

from sessions.transcripts.engine.messages import Block, Message, MessageKind, join_messages, text_block

_NAMESPACE = UUID(int=7)
NOON = 1_790_000_000.0


def uuid_of(name: str) -> str:
    return str(uuid5(_NAMESPACE, name))


def typed(text: str, name: str = "") -> Message:
    """By a person."""
    return Message("user", (text_block(text),), MessageKind.PROMPT, uuid_of(name or text), at=NOON)


def answered(text: str, *calls: Block, id: str = "", at: float = NOON) -> Message:
    content = (*([text_block(text)] if text else []), *calls)
    name = id or text or str(calls[0]["id"])
    return Message("assistant", content, MessageKind.ANSWER, uuid_of(f"answer {name} {text}"), f"msg_{name}", at)


def call(id: str, tool: str = "Read", **given: Any) -> Block:
    return {"type": "tool_use", "id": id, "name": tool, "input": given or {"file_path": f"/work/{id}.py"}}


def returned(*results: tuple[str, Any], at: float = NOON) -> Message:
    blocks = tuple({"type": "tool_result", "tool_use_id": id, "content": content} for id, content in results)
    return Message("user", blocks, MessageKind.RESULT, uuid_of("results " + " ".join(id for id, _ in results)), at=at)


def loop(count: int, size: int = 3000, tool: str = "Read", prefix: str = "toolu", at: float = NOON) -> list[Message]:
    """So many calls, one after the other, each with a result of so many characters."""
    messages = []
    for number in range(count):
        id = f"{prefix}_{number:02}"
        messages += [answered("", call(id, tool), at=at), returned((id, id[-1] * size), at=at)]
    return messages


def content(messages: Sequence[Message], tool_use_id: str) -> Any:
    """Of the result of that call."""
    return next(
        block["content"] for message in messages for block in message.content if block.get("tool_use_id") == tool_use_id
    )


def sent(messages: Sequence[Message]) -> str:
    """The bytes of a request."""
    return json.dumps(join_messages(messages))


def whole(messages: Sequence[Message]) -> bool:
    """Each result has its call before it."""
    calls: set[str] = set()
    for message in messages:
        for block in message.content:
            if block.get("type") == "tool_use":
                calls.add(block["id"])
            elif block.get("type") == "tool_result" and block["tool_use_id"] not in calls:
                return False
    return True


def pairs(messages: Sequence[Message]) -> tuple[set[str], set[str]]:
    """The ids of calls and of results."""
    blocks = [block for message in messages for block in message.content]
    calls = {block["id"] for block in blocks if block.get("type") == "tool_use"}
    return calls, {block["tool_use_id"] for block in blocks if block.get("type") == "tool_result"}


def same_objects(before: Sequence[Message], after: Sequence[Message], changed: set[str]) -> bool:
    """Every message that no change names is the object that it was."""
    known = {id(message) for message in before}
    return all(id(message) in known for message in after if message.uuid not in changed)
