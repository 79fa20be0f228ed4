"""What a request to a model cost."""

from __future__ import annotations

from inspector.agents.usage import Usage
from sessions.usage.engine.prices import cost_of
from sessions.usage.engine.usage import Usage as Priced


def price_of(model: str, usage: Usage) -> float | None:
    """By the table of prices; None for a model that is not in it."""
    return cost_of(
        model, Priced(usage.input, usage.cache_read, usage.cache_write_5m, usage.cache_write_1h, usage.output)
    )
