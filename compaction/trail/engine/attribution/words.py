"""Splits texts into words, so that what two texts share can be found by looking up words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from compaction.mechanisms.engine.conversation.calls import result_text
from sessions.transcripts.engine.messages import Message

LONGEST = 400_000
"""Of a longer message, half this many characters from its start and half from its end are read."""

_PATH_FIELDS = ("file_path", "notebook_path", "path")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
"""In scripts without spaces every character is a word."""


def words_of(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def text_of(message: Message) -> str:
    """Everything that a message says, calls and results included."""
    text = "\n".join(_block_text(block) for block in message.content)
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]}\n{text[-LONGEST // 2 :]}"


def paths_of(message: Message) -> list[str]:
    """The files that its tool calls name."""
    calls = [block.get("input") for block in message.content if block.get("type") == "tool_use"]
    inputs = [call_input for call_input in calls if isinstance(call_input, Mapping)]
    return [path for call_input in inputs for name in _PATH_FIELDS if isinstance(path := call_input.get(name), str)]


def _block_text(block: Mapping[str, Any]) -> str:
    kind = block.get("type")
    if kind == "tool_result":
        return result_text(block)
    if kind == "tool_use":
        return "\n".join(_strings(block.get("input")))
    return "\n".join(str(block[name]) for name in ("text", "thinking") if isinstance(block.get(name), str))


def _strings(value: Any, depth: int = 4) -> list[str]:
    """The texts in the input of a tool call, whatever its shape."""
    if isinstance(value, str):
        return [value]
    if depth and isinstance(value, Mapping):
        return [text for item in value.values() for text in _strings(item, depth - 1)]
    if depth and isinstance(value, (list, tuple)):
        return [text for item in value for text in _strings(item, depth - 1)]
    return [] if value is None else [json.dumps(value, default=str)]
