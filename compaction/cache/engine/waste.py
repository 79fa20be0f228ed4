"""What a drop cost: the tokens that were in the cache and were sent anew, and their price beyond that of reading."""

from __future__ import annotations

from dataclasses import dataclass

from compaction.cache.engine.calls import Call
from sessions.usage.engine.prices import cost_of
from sessions.usage.engine.usage import Usage


@dataclass(frozen=True, slots=True)
class Waste:
    tokens: int
    cost: float | None
    """In dollars; None if the model has no known price."""


NO_WASTE = Waste(0, 0.0)


def waste_of(call: Call, cached: int) -> Waste:
    """`cached`: what it could have read, had nothing happened."""
    could = min(cached, call.prompt)
    tokens = max(0, min(could - call.read, call.written + call.usage.input))
    paid, best = cost_of(call.model, call.usage), cost_of(call.model, spared(call.usage, tokens))
    return Waste(tokens, None if paid is None or best is None else max(0.0, paid - best))


def spared(usage: Usage, tokens: int) -> Usage:
    """The same request, had it read so many tokens more: those that it wrote, and then those that were not cached."""
    five = min(tokens, usage.cache_write_5m)
    hour = min(tokens - five, usage.cache_write_1h)
    fresh = min(tokens - five - hour, usage.input)
    return Usage(
        usage.input - fresh,
        usage.cache_read + five + hour + fresh,
        usage.cache_write_5m - five,
        usage.cache_write_1h - hour,
        usage.output,
    )
