"""What requests cost and how much context models take, from the table in prices.toml.

A model is known by its exact name. One that only resembles a known model has no price, because a guess would look like
a fact.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from sessions.usage.engine.model_names import asks_for_long_window, bare_name
from sessions.usage.engine.usage import Usage

SYNTHETIC = "<synthetic>"
"""The model that the client names for answers that it wrote itself, without a request."""

_MILLION = 1_000_000
_USUAL_WINDOW = 200_000
_LONG_WINDOW = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    input: float
    cache_read: float
    cache_write_5m: float
    cache_write_1h: float
    output: float

    def cost(self, usage: Usage) -> float:
        return (
            usage.input * self.input
            + usage.cache_read * self.cache_read
            + usage.cache_write_5m * self.cache_write_5m
            + usage.cache_write_1h * self.cache_write_1h
            + usage.output * self.output
        ) / _MILLION


@dataclass(frozen=True, slots=True)
class _Model:
    price: Price
    window: int
    long_over: int | None
    """A prompt of more tokens than this is billed at `long_price`."""
    long_price: Price


def price_of(model: str | None) -> Price | None:
    """The list price, or None if the model is not in the table."""
    entry = _find(model)
    return entry.price if entry else None


def cost_of(model: str | None, usage: Usage) -> float | None:
    """What a request cost in US dollars; None if that is unknown."""
    entry = _find(model)
    if entry is None:
        return None
    long = entry.long_over is not None and usage.context > entry.long_over
    return (entry.long_price if long else entry.price).cost(usage)


def total_cost(model: str | None, usages: Iterable[Usage]) -> float | None:
    """What several requests to one model cost together; None if that is unknown."""
    costs = [cost_of(model, usage) for usage in usages]
    known_costs = [cost for cost in costs if cost is not None]
    return sum(known_costs) if len(known_costs) == len(costs) else None


def context_window(model: str | None) -> int:
    """How many tokens a prompt and its answer may have together; the usual 200,000 for unknown models."""
    if asks_for_long_window(model):
        return _LONG_WINDOW
    entry = _find(model)
    return entry.window if entry else _USUAL_WINDOW


@lru_cache(maxsize=1024)
def _find(model: str | None) -> _Model | None:
    if model == SYNTHETIC:
        return _FREE
    return _MODELS.get(bare_name(model) or "")


def _models(table: dict[str, Any]) -> dict[str, _Model]:
    models: dict[str, _Model] = {}
    for name, row in table["models"].items():
        factors = {**table["cache"], **{key: row[key] for key in table["cache"] if key in row}}
        long = row.get("long", row)
        model = _Model(
            price=_price(row, factors),
            window=row.get("window", _USUAL_WINDOW),
            long_over=long.get("over"),
            long_price=_price(long, factors),
        )
        models |= dict.fromkeys((name, *row.get("also", ())), model)
    return models


def _price(row: dict[str, Any], factors: dict[str, float]) -> Price:
    return Price(
        input=row["input"],
        cache_read=row["input"] * factors["read"],
        cache_write_5m=row["input"] * factors["write_5m"],
        cache_write_1h=row["input"] * factors["write_1h"],
        output=row["output"],
    )


_TABLE = tomllib.loads(Path(__file__).with_name("prices.toml").read_text("utf-8"))
_MODELS = _models(_TABLE)
_NO_PRICE = Price(0, 0, 0, 0, 0)
_FREE = _Model(_NO_PRICE, _USUAL_WINDOW, None, _NO_PRICE)
