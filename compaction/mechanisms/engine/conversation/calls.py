"""The tool calls of a conversation and their results: which call a result answers, and what it was for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sessions.transcripts.engine.messages import Block, Message, text_block


@dataclass(frozen=True, slots=True)
class Call:
    id: str
    name: str
    input: Mapping[str, Any]
    message_index: int
    """The index of the message that makes the call."""


@dataclass(frozen=True, slots=True)
class Result:
    tool_use_id: str
    block: Block
    message_index: int
    """The index of its message."""
    block_index: int
    """The index of the block in the content of its message."""


def calls_of(messages: Sequence[Message]) -> dict[str, Call]:
    """Calls by id; of calls that share one, the first."""
    calls: dict[str, Call] = {}
    for index, message in enumerate(messages):
        if message.role != "assistant":
            continue
        for block in message.content:
            if block.get("type") == "tool_use":
                raw_input = block.get("input")
                call_input = raw_input if isinstance(raw_input, Mapping) else {}
                call = Call(str(block.get("id")), str(block.get("name")), call_input, index)
                calls.setdefault(call.id, call)
    return calls


def results_of(messages: Sequence[Message]) -> Iterator[Result]:
    for index, message in enumerate(messages):
        if message.role != "user":
            continue
        for position, block in enumerate(message.content):
            if block.get("type") == "tool_result":
                yield Result(str(block.get("tool_use_id")), block, index, position)


def result_text(block: Block) -> str:
    """The text of a result, without images and the like."""
    content = block.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text")) for part in _parts(content) if part.get("type") == "text")


def replace_text(block: Block, text: str) -> Block:
    """The result with this text instead of its own. Images and the like stay where they are."""
    parts = _parts(block.get("content"))
    if all(part.get("type") == "text" for part in parts):
        return {**block, "content": text}
    first = next((index for index, part in enumerate(parts) if part.get("type") == "text"), 0)
    before = [part for part in parts[:first] if part.get("type") != "text"]
    after = [part for part in parts[first:] if part.get("type") != "text"]
    return {**block, "content": [*before, text_block(text), *after]}


def _parts(content: Any) -> list[Block]:
    return [part for part in content if isinstance(part, Mapping)] if isinstance(content, (list, tuple)) else []
