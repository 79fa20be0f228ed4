"""What a request took, added to what its run has spent."""

from __future__ import annotations

from inspector.agents.usage import Usage
from inspector.budget.prices import price_of
from inspector.runs.services.running import Running


def run_bill(*, running: Running, model: str, usage: Usage, told: float | None = None) -> None:
    """`told`: the cost, where the model itself says so."""
    running.spend(
        model=model,
        input_tokens=usage.input,
        cache_read=usage.cache_read,
        cache_write=usage.cache_write_5m + usage.cache_write_1h,
        output_tokens=usage.output,
        cost=price_of(model, usage) if told is None else told,
    )
