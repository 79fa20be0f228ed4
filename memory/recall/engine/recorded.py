"""Recalls that really happened, from the records of a session: which memories were injected, and how much of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memory.history.engine.mentions import locate
from sessions.linking.engine.raw_fields import mapping, text

ATTACHMENT = "relevant_memories"


def injected_sizes(record: dict[str, Any], elsewhere: Sequence[str] = ()) -> dict[tuple[str, str], int]:
    """Bytes by place and name. A memory whose text was not recorded has none."""
    attachment = mapping(record.get("attachment"))
    if attachment.get("type") != ATTACHMENT:
        return {}
    memories = attachment.get("memories")
    sizes: dict[tuple[str, str], int] = {}
    for memory in memories if isinstance(memories, list) else ():
        spot = locate(text(mapping(memory).get("path")), elsewhere)
        if spot is not None:
            sizes[spot] = len(text(mapping(memory).get("content")).encode("utf-8", "replace"))
    return sizes
