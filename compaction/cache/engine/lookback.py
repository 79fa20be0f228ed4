"""Whether the API could find what the request before had written: it looks back from a mark over 20 blocks only."""

from __future__ import annotations

from compaction.cache.engine.calls import LIMITS, Limits
from compaction.cache.engine.prompt import Prompt


def blocks_since(previous: Prompt, current: Prompt) -> int:
    """How many blocks lie between the last mark of the one request and the nearest that the next has behind it, which
    holds all of its messages."""
    last = max(_marked(previous))
    behind = [mark - last for mark in _marked(current) if mark >= last]
    return min(behind, default=0)


def out_of_sight(previous: Prompt, current: Prompt, limits: Limits = LIMITS) -> bool:
    return blocks_since(previous, current) >= limits.lookback


def _marked(prompt: Prompt) -> list[int]:
    """The numbers of the blocks with a mark, counted over all messages; where marks are not known, the last."""
    sizes = [len(element.pieces) for element in prompt.elements]
    found = []
    for mark in (prompt.context.setup.marks or ()) if prompt.exact else ():
        match mark.get("path"):
            case ["messages", int(message), "content", int(block)] if message < len(sizes):
                found.append(sum(sizes[:message]) + block)
            case ["messages", int(message), *_] if message < len(sizes):
                found.append(sum(sizes[: message + 1]) - 1)
    return found or [sum(sizes) - 1]
