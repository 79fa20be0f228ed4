"""What one record tells the model, and the array of messages in a request.

A message is one record, not one element of the array: a response is written as several records that share its id, and
tool results come one by one. To edit a conversation we need the records; `join_messages` makes the array.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from sessions.usage.engine.usage import Usage

Block = Mapping[str, Any]
"""A content block as the API takes it."""
Role = Literal["user", "assistant", "system"]
THINKING_TYPES = ("thinking", "redacted_thinking")


class MessageKind(StrEnum):
    PROMPT = "prompt"
    """Words of a person."""
    ANSWER = "answer"
    """What the model said, thought or called."""
    RESULT = "result"
    """Results of tool calls."""
    INJECTED = "injected"
    """Put in by the client: reminders, attachments, hook output, notifications."""
    SUMMARY = "summary"
    """Stands for what was summarised away."""


class Message(Struct, frozen=True, gc=False):
    """A session has tens of thousands, so they are cheap to make and never part of a reference cycle."""

    role: Role
    content: tuple[Block, ...]
    kind: MessageKind
    uuid: str = ""
    """The record's; for what no record holds, an id of whoever made it."""
    message_id: str = ""
    """Of an answer: the API's id of the response, which all its records share."""
    at: float | None = None
    """Seconds since the epoch."""
    usage: Usage | None = None
    """Of an answer: what the whole response counted."""
    model: str = ""
    position: int | None = None
    """Where the record stands in its file."""
    attachment: str = ""
    """Of an injected one: the type of attachment that it was recorded as."""


def replace_fields(message: Message, **changes: Any) -> Message:
    """The same message with other values for some of its fields."""
    return replace(message, **changes)


def text_block(text: str) -> Block:
    return {"type": "text", "text": text}


def read_messages(array: Iterable[Mapping[str, Any]]) -> list[Message]:
    """Messages from an array as the API takes it, for callers without a transcript. Ids are made from the places."""
    messages = []
    for index, element in enumerate(array):
        content = element["content"]
        blocks = (text_block(content),) if isinstance(content, str) else tuple(content)
        if element["role"] == "assistant":
            kind = MessageKind.ANSWER
        elif any(block.get("type") == "tool_result" for block in blocks):
            kind = MessageKind.RESULT
        else:
            kind = MessageKind.PROMPT if element["role"] == "user" else MessageKind.INJECTED
        uuid = f"{index:08x}-0000-4000-8000-000000000000"
        message_id = f"message-{index}" if kind is MessageKind.ANSWER else ""
        messages.append(Message(element["role"], blocks, kind, uuid, message_id))
    return messages


def join_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The array of a request: neighbours of one role are one element, in which results come before text.

    The records of one response are one element too, even if results of its first calls are written between them.
    """
    array: list[dict[str, Any]] = []
    response, answer_content = "", None
    for message in messages:
        if not message.content:
            continue
        if answer_content is not None and message.role == "assistant" and message.message_id == response != "":
            answer_content.extend(message.content)
            continue
        if array and array[-1]["role"] == message.role != "system":
            array[-1]["content"].extend(message.content)
        else:
            array.append({"role": message.role, "content": list(message.content)})
        if message.role == "assistant":
            response, answer_content = message.message_id, array[-1]["content"]
    for element in array:
        if element["role"] == "user":
            element["content"].sort(key=lambda block: block.get("type") != "tool_result")
    return array


def count_messages(messages: Iterable[Message]) -> int:
    """How many elements the client makes of them: one for each answer, one of the user for everything between two
    answers, and after that one of the system if there are notes with that role."""
    count, answer, roles = 0, None, set[str]()
    for message in messages:
        if not message.content:
            continue
        if message.role != "assistant":
            count += message.role not in roles
            roles.add(message.role)
        elif answer is None or message.message_id != answer or not answer:
            count += 1
            answer, roles = message.message_id, set()
    return count
