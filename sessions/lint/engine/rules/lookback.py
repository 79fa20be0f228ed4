"""Whether the last cache mark finds what the request before this one wrote.

The API looks back from a mark over 20 blocks, the marked one among them. The request before ended with the user message
before the latest answer, and its mark was there: an answer with many calls can push it out of sight.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sessions.lint.engine.finding import Finding, Severity
from sessions.lint.engine.reading import Request, Spot

LOOKBACK = 20


def check(request: Request) -> Iterator[Finding]:
    if len(request.sections) < 3:
        return
    spots = request.spots
    marked = [at for at, spot in enumerate(spots) if _is_marked(spot)]
    if request.body.get("cache_control") is not None:
        marked.append(len(spots) - 1)
    answer = next(section for section in reversed(request.sections) if section[0].role == "assistant")
    before = spots.index(answer[0].spots[0]) - 1
    # Without a mark after the latest answer, it is not this mark's task to find that place.
    after = [at for at in marked if at > before]
    if before < 0 or not after or any(0 <= at - before < LOOKBACK for at in marked):
        return
    yield Finding(
        "lookback",
        Severity.COSTS,
        spots[after[0]].path,
        f"The request before this one ended {after[0] - before} blocks earlier; the API looks for its cache in "
        f"{LOOKBACK} blocks only.",
        f"Put another mark within {LOOKBACK - 1} blocks after {spots[before].path}.",
    )


def _is_marked(spot: Spot) -> bool:
    """A mark inside of a result ends the prefix amid that block."""
    content = spot.block.get("content") if spot.type == "tool_result" else None
    inside = content if isinstance(content, list) else []
    return any(isinstance(part, Mapping) and part.get("cache_control") is not None for part in (spot.block, *inside))
