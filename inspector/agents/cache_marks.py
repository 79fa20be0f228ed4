"""Cache marks, which tell the prompt cache where to read and write: exactly one among the messages.

A mark is not part of the cached content, so moving it does not change the conversation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from inspector.agents.model import Json
from sessions.transcripts.engine.messages import THINKING_TYPES

DEFAULT_MARK: Json = {"type": "ephemeral"}
_KEY = "cache_control"


def find_mark(messages: Sequence[Json]) -> Json | None:
    """The last mark, with its time to live, which a fork must share."""
    for message in reversed(messages):
        for block in reversed(_blocks(message)):
            if isinstance(block, dict) and isinstance(block.get(_KEY), dict):
                mark: Json = block[_KEY]
                return mark
    return None


def remove_marks(messages: Sequence[Json]) -> tuple[Json, ...]:
    """The messages without marks. A message that has none is returned as the same object."""
    return tuple(_without(message) for message in messages)


def set_mark(messages: Sequence[Json], *, mark: Json | None = None, from_end: int = 1) -> tuple[Json, ...]:
    """Sets one mark on the last block of the message at this distance from the end, or of the nearest one before it.

    Thinking and empty texts cannot carry a mark.
    """
    plain = list(remove_marks(messages))
    for index in reversed(range(len(plain))[: max(len(plain) - from_end, 0) + 1]):
        blocks = _as_blocks(plain[index])
        for place in reversed(range(len(blocks))):
            if _can_carry(blocks[place]):
                blocks[place] = {**blocks[place], _KEY: dict(mark or DEFAULT_MARK)}
                plain[index] = {**plain[index], "content": blocks}
                return tuple(plain)
    return tuple(plain)


def _blocks(message: Json) -> list[Any]:
    content = message.get("content")
    return content if isinstance(content, list) else []


def _as_blocks(message: Json) -> list[Any]:
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return list(_blocks(message))


def _can_carry(block: Any) -> bool:
    if not isinstance(block, dict) or block.get("type") in THINKING_TYPES:
        return False
    return block.get("type") != "text" or bool(str(block.get("text", "")).strip())


def _without(message: Json) -> Json:
    blocks = _blocks(message)
    bare = list(_strip_marks(blocks))
    return message if all(new is old for new, old in zip(bare, blocks, strict=True)) else {**message, "content": bare}


def _strip_marks(blocks: list[Any]) -> Iterator[Any]:
    for block in blocks:
        if not isinstance(block, dict):
            yield block
            continue
        bare = {key: value for key, value in block.items() if key != _KEY} if _KEY in block else block
        # A tool's result may be marked too; the input of a call is data, whatever its keys are.
        if block.get("type") == "tool_result" and isinstance(block.get("content"), list):
            inner = list(_strip_marks(block["content"]))
            if any(new is not old for new, old in zip(inner, block["content"], strict=True)):
                bare = {**bare, "content": inner}
        yield bare
