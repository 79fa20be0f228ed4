"""Whether the API could find what the previous request had written: from a mark it looks back over only 20 blocks."""

from __future__ import annotations

from compaction.cache.engine.requests.calls import LIMITS, Limits
from compaction.cache.engine.requests.prompt import Prompt


def blocks_since(previous: Prompt, current: Prompt) -> int:
    """The number of blocks between the last mark of `previous` and the nearest mark of `current` that follows it.
    `current` holds all messages of `previous`."""
    last_mark = max(_marked_blocks(previous))
    distances = [mark - last_mark for mark in _marked_blocks(current) if mark >= last_mark]
    return min(distances, default=0)


def is_beyond_lookback(previous: Prompt, current: Prompt, limits: Limits = LIMITS) -> bool:
    return blocks_since(previous, current) >= limits.lookback


def _marked_blocks(prompt: Prompt) -> list[int]:
    """The numbers of the marked blocks, counted over all messages; the last block if the marks are unknown."""
    sizes = [len(element.pieces) for element in prompt.elements]
    numbers = []
    for mark in (prompt.context.setup.marks or ()) if prompt.is_recorded else ():
        match mark.get("path"):
            case ["messages", int(message), "content", int(block)] if message < len(sizes):
                numbers.append(sum(sizes[:message]) + block)
            case ["messages", int(message), *_] if message < len(sizes):
                numbers.append(sum(sizes[: message + 1]) - 1)
    return numbers or [sum(sizes) - 1]
