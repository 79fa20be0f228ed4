"""What requests would cost before any of them is sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sessions.usage.engine.prices import cost_of
from sessions.usage.engine.usage import Usage


@dataclass(frozen=True, slots=True)
class Weight:
    """Of one request, in tokens."""

    input: int
    output: int
    """The answer, at most. A fork has no limit of its own; summaries rarely are longer than this."""


@dataclass(frozen=True, slots=True)
class PriceForecast:
    """In dollars. None: the price of the model is not known."""

    requests: int
    input: int
    output: int
    least: float | None
    """Of what is sent."""
    most: float | None
    """With answers as long as they may be."""


def forecast_price(model: str, weights: Sequence[Weight]) -> PriceForecast:
    """At the full price of what is sent: how much of it comes out of a cache, nobody can tell beforehand."""
    sent = [cost_of(model, Usage(one.input, 0, 0, 0, 0)) for one in weights]
    whole = [cost_of(model, Usage(one.input, 0, 0, 0, one.output)) for one in weights]
    return PriceForecast(
        len(weights),
        sum(one.input for one in weights),
        sum(one.output for one in weights),
        _sum(sent),
        _sum(whole),
    )


def _sum(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None
