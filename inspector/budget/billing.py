"""Adds the tokens and the cost of a request to its run."""

from __future__ import annotations

from inspector.runs.services.active_run import ActiveRun
from sessions.usage.engine.prices import cost_of
from sessions.usage.engine.usage import Usage


def run_bill(*, running: ActiveRun, model: str, usage: Usage, reported_cost: float | None = None) -> None:
    """`reported_cost`: the cost as the model reports it; by the table of prices if it reports none."""
    running.spend(
        model=model,
        input_tokens=usage.input,
        cache_read=usage.cache_read,
        cache_write=usage.cache_write_5m + usage.cache_write_1h,
        output_tokens=usage.output,
        cost=cost_of(model, usage) if reported_cost is None else reported_cost,
    )
