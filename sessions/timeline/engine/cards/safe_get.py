"""Values of an untrusted record as the type that is needed, or an empty value of that type."""

from __future__ import annotations

import math
from typing import Any

_HUGE = 1e15


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def as_dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def as_dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in as_list(value) if isinstance(item, dict)]


def as_number(value: Any) -> float | None:
    """A number that can be shown: no boolean, infinity or absurd size."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if math.isfinite(value) and abs(value) < _HUGE else None


def as_int(value: Any) -> int | None:
    value_number = as_number(value)
    return None if value_number is None else int(value_number)


def as_word(value: Any) -> str:
    """Strings and numbers as text; anything else is empty."""
    if isinstance(value, str):
        return value
    value_number = as_number(value)
    return "" if value_number is None else f"{value_number:g}" if isinstance(value_number, float) else str(value_number)


def record_blocks(record: dict[str, Any]) -> list[dict[str, Any]]:
    """The content blocks of a record's message; a bare string counts as one text block."""
    return content_blocks(message_content(record))


def message_content(record: dict[str, Any]) -> Any:
    """The content of a message, which some tools write without the object around it."""
    message = record.get("message")
    return message.get("content") if isinstance(message, dict) else message


def content_blocks(content: Any) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    blocks: list[dict[str, Any]] = []
    for item in as_list(content):
        if isinstance(item, dict):
            blocks.append(item)
        elif isinstance(item, str):
            blocks.append({"type": "text", "text": item})
    return blocks


def joined_text(content: Any) -> str:
    """The text blocks of a content, joined by line breaks."""
    return "\n".join(as_text(block.get("text")) for block in content_blocks(content) if block.get("type") == "text")
