"""Whether the API could find what the request before had written: it looks back from a mark over 20 blocks only."""

from __future__ import annotations

from compaction.engine.cache.calls import LIMITS, Limits
from compaction.engine.cache.prompt import Prompt


def blocks_since(previous: Prompt, current: Prompt) -> int:
    """How many blocks lie between the last mark of the one request and that of the next, which holds all of its
    messages."""
    return _marked(current) - _marked(previous)


def out_of_sight(previous: Prompt, current: Prompt, limits: Limits = LIMITS) -> bool:
    return blocks_since(previous, current) >= limits.lookback


def _marked(prompt: Prompt) -> int:
    """The number of the block with the last mark, counted over all messages; where marks are not known, the last."""
    sizes = [len(element.pieces) for element in prompt.elements]
    last = None
    for mark in prompt.context.given.marks or ():
        match mark.get("path"):
            case ["messages", int(message), "content", int(block)] if message < len(sizes):
                last = max(last or 0, sum(sizes[:message]) + block)
            case ["messages", int(message), *_] if message < len(sizes):
                last = max(last or 0, sum(sizes[: message + 1]) - 1)
    return sum(sizes) - 1 if last is None else last
