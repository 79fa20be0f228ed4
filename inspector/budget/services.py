"""Checks the monthly budget: before a run that asks a model, and again before each of its requests.

Two runs may start at the same time, and an answer may be longer than expected. So the budget can be exceeded by what
was under way, but not by more."""

from __future__ import annotations

from inspector.budget.selectors import Budget, budget_at
from inspector.runs.services.stops import RunError
from inspector.web.clock import now_ms
from sessions.text.engine.words import money, plural

HELP = "Raise LUCID_MONTHLY_BUDGET, wait for the next month, or have the summary put together mechanically."


def budget_hold(*, extra_spent: float = 0.0, exclude_run: int | None = None, next_cost: float | None = None) -> Budget:
    """Raises RunError if nothing is left, or less than `next_cost`. `extra_spent`: what the run that is left out
    (`exclude_run`) has spent itself."""
    budget = budget_at(now_ms(), exclude_run=exclude_run)
    if budget.limit is None:
        return budget
    spent = budget.spent + extra_spent
    spent_sentence = (
        f"Models have cost {money(spent)} of {money(budget.limit)} in {budget.month}{_unpriced_note(budget)}."
    )
    if spent >= budget.limit:
        raise RunError(f"The monthly budget is used up, so no model was asked. {spent_sentence} {HELP}")
    if next_cost is not None and spent + next_cost > budget.limit:
        price = money(next_cost, estimate=True)
        raise RunError(
            f"What is sent next can cost {price}, which is more than is left of the monthly budget. "
            f"{spent_sentence} {HELP}"
        )
    return budget


def _unpriced_note(budget: Budget) -> str:
    if not budget.unpriced:
        return ""
    return f", without {plural(budget.unpriced, 'run')} whose price is unknown"
