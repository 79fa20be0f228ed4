"""Whether the last cache mark finds what the request before this one wrote.

The API looks back from a mark over 20 blocks, the marked one among them. The request before ended with the user message
before the latest answer, and its mark was there: an answer with many calls can push it out of sight.
"""

from __future__ import annotations

from collections.abc import Iterator

from sessions.engine.lint.finding import Finding, Severity
from sessions.engine.lint.reading import Request, spots_of

LOOKBACK = 20


def check(request: Request) -> Iterator[Finding]:
    if len(request.sections) < 3:
        return
    spots = [spot for section in request.sections for spot in spots_of(section)]
    marked = [at for at, spot in enumerate(spots) if spot.block.get("cache_control") is not None]
    if request.body.get("cache_control") is not None:
        marked.append(len(spots) - 1)
    answer = max(at for at, section in enumerate(request.sections) if section[0].role == "assistant")
    before = sum(len(spots_of(section)) for section in request.sections[:answer]) - 1
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
