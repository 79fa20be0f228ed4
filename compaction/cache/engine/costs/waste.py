"""What a drop cost: the cached tokens that were sent again, and what they cost beyond reading them."""

from __future__ import annotations

from dataclasses import dataclass

from compaction.cache.engine.requests.calls import Call
from sessions.usage.engine.prices import cost_of
from sessions.usage.engine.usage import Usage


@dataclass(frozen=True, slots=True)
class Waste:
    tokens: int
    cost: float | None
    """In dollars; None if the model has no known price."""


NO_WASTE = Waste(0, 0.0)


def waste_of(call: Call, cached: int) -> Waste:
    """`cached`: the tokens that it could have read without the drop."""
    readable = min(cached, call.prompt)
    tokens = max(0, min(readable - call.read, call.written + call.usage.input))
    paid, best = cost_of(call.model, call.usage), cost_of(call.model, spare_tokens(call.usage, tokens))
    return Waste(tokens, None if paid is None or best is None else max(0.0, paid - best))


def spare_tokens(usage: Usage, tokens: int) -> Usage:
    """The usage of the same request if it had read this many more tokens: first those that it wrote, then the fresh."""
    spared_5m = min(tokens, usage.cache_write_5m)
    spared_1h = min(tokens - spared_5m, usage.cache_write_1h)
    spared_input = min(tokens - spared_5m - spared_1h, usage.input)
    return Usage(
        usage.input - spared_input,
        usage.cache_read + spared_5m + spared_1h + spared_input,
        usage.cache_write_5m - spared_5m,
        usage.cache_write_1h - spared_1h,
        usage.output,
    )
