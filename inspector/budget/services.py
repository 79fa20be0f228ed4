"""Holds the monthly budget: before a run that asks a model, and again before each of its requests.

Two runs at the same time may both begin with the last of it, and an answer may be longer than expected: it can be
exceeded by what was under way, not by more."""

from __future__ import annotations

from inspector.budget.selectors import Budget, budget_at
from inspector.runs.services.stops import RunError
from inspector.web.clock import now_ms
from sessions.text.engine.words import money, plural

HELP = "Raise LUCID_MONTHLY_BUDGET, wait for the next month, or have the summary put together mechanically."


def budget_hold(*, adding: float = 0.0, without: int | None = None, next_cost: float | None = None) -> Budget:
    """Raises RunError if nothing is left, or less than `next_cost`. `adding`: what a run has spent that does not count
    yet, because it is left out (`without`)."""
    budget = budget_at(now_ms(), without=without)
    if budget.limit is None:
        return budget
    spent = budget.spent + adding
    known = f"Models have cost {money(spent)} of {money(budget.limit)} in {budget.month}{_unpriced(budget)}."
    if spent >= budget.limit:
        raise RunError(f"The monthly budget is used up, so no model was asked. {known} {HELP}")
    if next_cost is not None and spent + next_cost > budget.limit:
        price = money(next_cost, estimate=True)
        raise RunError(
            f"What is sent next can cost {price}, which is more than is left of the monthly budget. {known} {HELP}"
        )
    return budget


def _unpriced(budget: Budget) -> str:
    if not budget.unpriced:
        return ""
    return f", without {plural(budget.unpriced, 'run')} whose price is unknown"
