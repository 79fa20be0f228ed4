"""What requests would cost before any of them is sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sessions.usage.engine.prices import total_cost
from sessions.usage.engine.usage import Usage


@dataclass(frozen=True, slots=True)
class Weight:
    """The size of one request, in tokens."""

    input: int
    output: int
    """The answer, at most. A fork has no limit of its own; summaries rarely are longer than this."""
    shared: int = 0
    """Of the input, what a session itself has sent, so that the cache may have it."""


@dataclass(frozen=True, slots=True)
class PriceForecast:
    """In dollars; None if the price of the model is unknown."""

    requests: int
    input: int
    output: int
    least: float | None
    """The price of what is sent."""
    most: float | None
    """With answers as long as they may be."""
    shared: int = 0
    """Of the input, what the cache may have."""
    cached: float | None = None
    """Of what is sent, if the cache has it."""


def forecast_price(model: str, weights: Sequence[Weight]) -> PriceForecast:
    """The full price of what would be sent, and the price with the cache, which may expire before that."""
    sent = [Usage(weight.input, 0, 0, 0, 0) for weight in weights]
    whole = [Usage(weight.input, 0, 0, 0, weight.output) for weight in weights]
    cached = [Usage(weight.input - weight.shared, weight.shared, 0, 0, 0) for weight in weights]
    return PriceForecast(
        len(weights),
        sum(weight.input for weight in weights),
        sum(weight.output for weight in weights),
        total_cost(model, sent),
        total_cost(model, whole),
        sum(weight.shared for weight in weights),
        total_cost(model, cached),
    )
