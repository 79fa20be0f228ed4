"""Values of a record as the type that we need: records are untrusted, so nothing is what it says it is."""

from __future__ import annotations

import math
from typing import Any

_HUGE = 1e15


def text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def tables(value: Any) -> list[dict[str, Any]]:
    return [item for item in items(value) if isinstance(item, dict)]


def number(value: Any) -> float | None:
    """A number that can be shown; booleans, infinities and absurd sizes are none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if math.isfinite(value) and abs(value) < _HUGE else None


def whole(value: Any) -> int | None:
    found = number(value)
    return None if found is None else int(found)


def word(value: Any) -> str:
    """A short value as text: strings and numbers as they are, anything else as nothing."""
    if isinstance(value, str):
        return value
    found = number(value)
    return "" if found is None else f"{found:g}" if isinstance(found, float) else str(found)


def blocks(record: dict[str, Any]) -> list[dict[str, Any]]:
    """The content blocks of a record's message; a bare string counts as one text block."""
    return content_blocks(content_of(record))


def content_of(record: dict[str, Any]) -> Any:
    """What a message says: some tools write it bare, without the table around it."""
    message = record.get("message")
    return message.get("content") if isinstance(message, dict) else message


def content_blocks(content: Any) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    found: list[dict[str, Any]] = []
    for item in items(content):
        if isinstance(item, dict):
            found.append(item)
        elif isinstance(item, str):
            found.append({"type": "text", "text": item})
    return found


def joined(content: Any) -> str:
    """The text blocks of a content, one after the other."""
    return "\n".join(text(block.get("text")) for block in content_blocks(content) if block.get("type") == "text")
