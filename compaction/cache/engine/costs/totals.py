"""What the cache did for a session: how much was read from it, how often the context was written, and what that cost
compared with no cache, and with a cache that never broke."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

from compaction.cache.engine.requests.calls import Call
from sessions.usage.engine.prices import cost_of
from sessions.usage.engine.usage import Usage


@dataclass(frozen=True, slots=True)
class Totals:
    requests: int = 0
    read: int = 0
    written: int = 0
    fresh: int = 0
    peak: int = 0
    """The largest prompt of each source, added up: each has a cache of its own to fill."""
    wasted: int = 0
    wasted_cost: float | None = 0.0
    cost: float | None = None
    """In dollars, with the cache as it was; None if no request has a known price."""
    cost_without: float | None = None
    cost_best: float | None = None
    unpriced: int = 0
    """Requests of models without a known price, which are in none of the costs."""

    @property
    def hit_rate(self) -> float | None:
        prompt = self.read + self.written + self.fresh
        return self.read / prompt if prompt else None

    @property
    def rewrite_factor(self) -> float | None:
        return self.written / self.peak if self.peak else None

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "hit_rate": self.hit_rate, "rewrite_factor": self.rewrite_factor}


def totals_of(calls: Iterable[Call], wasted: int = 0, wasted_cost: float | None = 0.0) -> Totals:
    """`wasted`: by all breaks together. Requests that only repeat those of another file are not counted."""
    own = [call for call in calls if not call.copied]
    peaks: dict[str, int] = {}
    for call in own:
        peaks[call.source] = max(call.prompt, peaks.get(call.source, 0))
    cost = _sum_costs(own, lambda usage: usage)
    return Totals(
        len(own),
        sum(call.read for call in own),
        sum(call.written for call in own),
        sum(call.usage.input for call in own),
        sum(peaks.values()),
        wasted,
        wasted_cost,
        cost,
        _sum_costs(own, _without_cache),
        None if cost is None else max(0.0, cost - (wasted_cost or 0.0)),
        sum(cost_of(call.model, call.usage) is None for call in own),
    )


def _without_cache(usage: Usage) -> Usage:
    return Usage(usage.context, 0, 0, 0, usage.output)


def _sum_costs(calls: Iterable[Call], change_usage: Callable[[Usage], Usage]) -> float | None:
    prices = [cost_of(call.model, change_usage(call.usage)) for call in calls]
    known_prices = [price for price in prices if price is not None]
    return sum(known_prices) if known_prices else None
