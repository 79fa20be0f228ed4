from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def mark_positions(messages: Sequence[dict[str, Any]]) -> tuple[tuple[int, int], ...]:
    """Message and block of every mark."""
    return tuple(
        (index, number)
        for index, message in enumerate(messages)
        for number, block in enumerate(message["content"] if isinstance(message.get("content"), list) else [])
        if isinstance(block, dict) and "cache_control" in block
    )
