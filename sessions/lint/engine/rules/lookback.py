"""Whether the last cache mark finds what the previous request wrote.

The API looks back from a mark over 20 blocks, including the marked one. The previous request ended, with its mark,
before the latest answer: an answer with many calls can push that mark out of reach.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sessions.lint.engine.finding import Finding, Severity
from sessions.lint.engine.request_reader import BlockSpot, ParsedRequest

LOOKBACK = 20


def check(request: ParsedRequest) -> Iterator[Finding]:
    if len(request.sections) < 3:
        return
    spots = request.spots
    marked = [index for index, spot in enumerate(spots) if _is_marked(spot)]
    if request.body.get("cache_control") is not None:
        marked.append(len(spots) - 1)
    answer = next(section for section in reversed(request.sections) if section[0].role == "assistant")
    before = spots.index(answer[0].spots[0]) - 1
    # Without a mark after the latest answer, no mark is meant to find that block.
    after = [index for index in marked if index > before]
    if before < 0 or not after or any(0 <= index - before < LOOKBACK for index in marked):
        return
    yield Finding(
        "lookback",
        Severity.COSTS,
        spots[after[0]].path,
        f"The request before this one ended {after[0] - before} blocks earlier; the API looks for its cache in "
        f"{LOOKBACK} blocks only.",
        f"Put another mark within {LOOKBACK - 1} blocks after {spots[before].path}.",
    )


def _is_marked(spot: BlockSpot) -> bool:
    """Does the block carry a mark? One inside a result ends the prefix in the middle of that block."""
    content = spot.block.get("content") if spot.type == "tool_result" else None
    inside = content if isinstance(content, list) else []
    return any(isinstance(part, Mapping) and part.get("cache_control") is not None for part in (spot.block, *inside))
