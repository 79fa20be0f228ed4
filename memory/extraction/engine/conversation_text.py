"""A conversation as text with entry numbers, for a model that reads it as one message."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from sessions.transcripts.engine.messages import Message, MessageKind

LONGEST_RESULT = 2_000
"""Characters of a call or of a tool's output: the conversation says what matters in it."""
_SPEAKERS = {
    MessageKind.PROMPT: "the user",
    MessageKind.ANSWER: "the assistant",
    MessageKind.RESULT: "result of a tool",
    MessageKind.INJECTED: "put in by the client",
    MessageKind.SUMMARY: "summary of what came before",
}


def write_conversation(messages: Sequence[Message]) -> str:
    """Leaves out thinking and images."""
    parts = []
    for message in messages:
        text = "\n".join(part for part in _parts(message.content) if part.strip())
        if text:
            number = "" if message.position is None else f"entry {message.position}, "
            parts.append(f"[{number}{_SPEAKERS[message.kind]}]\n{text}")
    return "\n\n".join(parts)


def message_text(message: Message) -> str:
    """The text of a message without calls and results."""
    return "\n".join(str(block.get("text", "")) for block in message.content if block.get("type") == "text")


def _parts(blocks: Iterable[Any]) -> Iterable[str]:
    for block in blocks:
        kind = block.get("type")
        if kind == "text":
            yield str(block.get("text", ""))
        elif kind == "tool_use":
            yield _short(f"[calls {block.get('name')} with {json.dumps(block.get('input'), ensure_ascii=False)}]")
        elif kind == "tool_result":
            yield _short(_output(block.get("content")))
        elif kind in ("image", "document"):
            yield f"[{kind}]"


def _output(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(_parts(block for block in content or () if isinstance(block, dict)))


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_RESULT else f"{text[:LONGEST_RESULT]} … (cut)"
