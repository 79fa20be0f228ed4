"""Short conversations, written down as one reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from sessions.transcripts.engine.messages import Block, Message, MessageKind, replace_fields, text_block
from sessions.usage.engine.usage import Usage

START = 1_790_000_000.0


class Talk:
    """A conversation that grows: each message gets the next id (m1, m2, ...) and comes a second after the last."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._numbers = count(1)
        self._tools = count(1)

    def prompt(self, text: str) -> Message:
        return self._add("user", MessageKind.PROMPT, text_block(text))

    def injected(self, text: str, attachment: str = "") -> Message:
        message = self._add("user", MessageKind.INJECTED, text_block(text))
        self.messages[-1] = replace_fields(message, attachment=attachment)
        return self.messages[-1]

    def says(self, text: str, *, usage: Usage | None = None, message_id: str = "", thinks: str = "") -> Message:
        blocks = (*_thoughts(thinks), text_block(text))
        return self._add("assistant", MessageKind.ANSWER, *blocks, usage=usage, message_id=message_id)

    def calls(
        self,
        tool: str,
        given: Mapping[str, Any] | None = None,
        *,
        says: str = "",
        message_id: str = "",
        id: str = "",
        thinks: str = "",
    ) -> str:
        tool_id = id or f"toolu_{next(self._tools)}"
        words = [*_thoughts(thinks), *([text_block(says)] if says else [])]
        call = {"type": "tool_use", "id": tool_id, "name": tool, "input": dict(given or {})}
        self._add("assistant", MessageKind.ANSWER, *words, call, message_id=message_id)
        return tool_id

    def result(self, tool_id: str, content: str | Sequence[Block] = "done") -> Message:
        return self._add(
            "user", MessageKind.RESULT, {"type": "tool_result", "tool_use_id": tool_id, "content": content}
        )

    def reads(self, path: str, text: str = "done", *, says: str = "", thinks: str = "") -> Message:
        return self.result(self.calls("Read", {"file_path": path}, says=says, thinks=thinks), text)

    def _add(
        self, role: Any, kind: MessageKind, *blocks: Block, usage: Usage | None = None, message_id: str = ""
    ) -> Message:
        number = next(self._numbers)
        message_id = message_id or (f"msg_{number}" if kind is MessageKind.ANSWER else "")
        message = Message(role, tuple(blocks), kind, f"m{number}", message_id, START + number, usage)
        self.messages.append(message)
        return message


def _thoughts(words: str) -> list[Block]:
    return [{"type": "thinking", "thinking": words, "signature": "s"}] if words else []


def texts(messages: Sequence[Message]) -> list[str]:
    """The words of each message that has any."""
    return [
        "\n".join(block["text"] for block in message.content if block["type"] == "text")
        for message in messages
        if any(block["type"] == "text" for block in message.content)
    ]


def ids(messages: Sequence[Message]) -> list[str]:
    return [message.uuid for message in messages]
