"""When clearing or compacting would have been free: the moments at which the cache was cold anyway. And what clearing
at a warm moment cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from compaction.cache.engine.calls import (
    LIMITS,
    Call,
    Limits,
    gap_of,
)
from compaction.cache.engine.lifetime import Lifetime, lifetime_of
from compaction.cache.engine.names import TITLES, Name
from compaction.cache.engine.waste import waste_of
from sessions.text.engine.words import duration

WORTH = 20_000
"""A smaller prompt is not worth clearing."""
MOST = 50
EDITS = frozenset({Name.COMPACTION, Name.DELETION})


@dataclass(frozen=True, slots=True)
class Window:
    """Before this request, everything had to be cached anew whatever was sent."""

    message_id: str
    position: int
    at: int | None
    gap: int | None
    tokens: int
    """Of the prompt that was cached anew."""
    sentence: str


@dataclass(frozen=True, slots=True)
class Clearing:
    """A compaction or a clearing that was made, and what the request after it had to write because of it."""

    message_id: str
    position: int
    at: int | None
    name: str
    warm: bool
    tokens: int
    cost: float | None
    sentence: str


@dataclass(frozen=True, slots=True)
class Pruning:
    windows: tuple[Window, ...]
    clearings: tuple[Clearing, ...]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def pruning_of(calls: Iterable[Call], causes: Mapping[str, str], limits: Limits = LIMITS) -> Pruning:
    """`causes`: the id of the answer of each request whose cache broke -> the cause."""
    windows: list[Window] = []
    clearings: list[Clearing] = []
    for previous, call, lives in _pairs(calls):
        gap, cause = gap_of(previous, call), causes.get(call.message_id, "")
        cold = gap is not None and gap > lives.longest(limits)
        if cause in EDITS:
            clearings.append(_clearing(previous, call, cause, cold))
        elif (cold or (cause and cause not in (Name.REWIND, Name.LOOKBACK))) and call.prompt >= WORTH:
            windows.append(_window(call, gap, cold, cause))
    largest = sorted(windows, key=lambda one: one.tokens, reverse=True)[:MOST]
    return Pruning(tuple(one for one in windows if one in largest), tuple(clearings))


def _pairs(calls: Iterable[Call]) -> Iterator[tuple[Call, Call, Lifetime]]:
    latest: dict[str, tuple[Call, Lifetime]] = {}
    for call in calls:
        if not call.prompt:
            continue
        before = latest.get(call.source)
        if before is not None and not call.copied:
            yield before[0], call, before[1]
        lives = lifetime_of(None, [call]) if call.written or before is None else before[1]
        latest[call.source] = (call, lives)


def _window(call: Call, gap: int | None, cold: bool, cause: str) -> Window:
    why = f"{duration(gap)} without a request" if cold else TITLES.get(cause, cause)
    said = (
        f"The cache was cold ({why}): {call.prompt:,} tokens were sent anew. Clearing or compacting just before would"
        " have cost nothing extra, and spared what it takes away."
    )
    return Window(call.message_id, call.position, call.started, gap, call.prompt, said)


def _clearing(previous: Call, call: Call, cause: str, cold: bool) -> Clearing:
    waste = waste_of(call, previous.cached)
    what = "Compacted" if cause == Name.COMPACTION else "Cleared"
    said = (
        f"{what} while the cache was cold: nothing was lost by it."
        if cold
        else f"{what} while the cache was warm: {waste.tokens:,} tokens of the request after it were cached anew."
    )
    tokens, cost = (0, 0.0) if cold else (waste.tokens, waste.cost)
    return Clearing(call.message_id, call.position, call.started, cause, not cold, tokens, cost, said)
