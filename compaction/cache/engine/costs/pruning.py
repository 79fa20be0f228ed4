"""When clearing or compacting would have been free because the cache was cold anyway, and what it cost when the cache
was warm."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from compaction.cache.engine.causes.cause_names import TITLES, CauseName
from compaction.cache.engine.costs.waste import waste_of
from compaction.cache.engine.requests.calls import LIMITS, Call, Limits, gap_of
from compaction.cache.engine.requests.lifetime import Lifetime, lifetime_of
from sessions.text.engine.words import duration

LEAST_TOKENS = 20_000
"""A smaller prompt is not worth clearing."""
MOST_WINDOWS = 50
EDIT_CAUSES = frozenset({CauseName.COMPACTION, CauseName.DELETION})


@dataclass(frozen=True, slots=True)
class Window:
    """A moment when the cache was cold: the request after it had to cache everything anew in any case."""

    message_id: str
    position: int
    at: int | None
    gap: int | None
    tokens: int
    """The size of the prompt that was cached anew."""
    sentence: str


@dataclass(frozen=True, slots=True)
class Clearing:
    """A compaction or a clearing, and what the request after it had to write because of it."""

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
    for previous, call, lifetime in _consecutive_calls(calls):
        gap, cause = gap_of(previous, call), causes.get(call.message_id, "")
        is_cold = gap is not None and gap > lifetime.longest_ms(limits)
        if cause in EDIT_CAUSES:
            clearings.append(_make_clearing(previous, call, cause, is_cold))
        elif (
            is_cold or (cause and cause not in (CauseName.REWIND, CauseName.LOOKBACK))
        ) and call.prompt >= LEAST_TOKENS:
            windows.append(_window(call, gap, is_cold, cause))
    largest = sorted(windows, key=lambda window: window.tokens, reverse=True)[:MOST_WINDOWS]
    return Pruning(tuple(window for window in windows if window in largest), tuple(clearings))


def _consecutive_calls(calls: Iterable[Call]) -> Iterator[tuple[Call, Call, Lifetime]]:
    latest: dict[str, tuple[Call, Lifetime]] = {}
    for call in calls:
        if not call.prompt:
            continue
        earlier = latest.get(call.source)
        if earlier is not None and not call.copied:
            yield earlier[0], call, earlier[1]
        lifetime = lifetime_of(None, [call]) if call.written or earlier is None else earlier[1]
        latest[call.source] = (call, lifetime)


def _window(call: Call, gap: int | None, is_cold: bool, cause: str) -> Window:
    reason = f"{duration(gap)} without a request" if is_cold else TITLES.get(cause, cause)
    sentence = (
        f"The cache was cold ({reason}): {call.prompt:,} tokens were sent anew. Clearing or compacting just before"
        " would have cost nothing extra, and spared what it takes away."
    )
    return Window(call.message_id, call.position, call.started, gap, call.prompt, sentence)


def _make_clearing(previous: Call, call: Call, cause: str, is_cold: bool) -> Clearing:
    waste = waste_of(call, previous.cached)
    verb = "Compacted" if cause == CauseName.COMPACTION else "Cleared"
    sentence = (
        f"{verb} while the cache was cold: nothing was lost by it."
        if is_cold
        else f"{verb} while the cache was warm: {waste.tokens:,} tokens of the request after it were cached anew."
    )
    tokens, cost = (0, 0.0) if is_cold else (waste.tokens, waste.cost)
    return Clearing(call.message_id, call.position, call.started, cause, not is_cold, tokens, cost, sentence)
