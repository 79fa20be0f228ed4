"""Holds the monthly budget: before a run that asks a model, and again before each of its requests.

Two runs at the same time may both begin with the last of it, and an answer may be longer than expected: it can be
exceeded by what was under way, not by more."""

from __future__ import annotations

from typing import Any

from compaction.services.watching import price_of
from inspector.agents.errors import ModelError
from inspector.agents.model import Ask, LanguageModel, Reply
from inspector.agents.usage import Usage
from inspector.selectors.budget import Budget, budget_at
from inspector.services.own_requests import Remembered
from inspector.services.runs.stops import RunError
from inspector.services.runs.under_way import model_asked
from inspector.web.clock import now_ms
from sessions.engine.messages import messages_of
from sessions.engine.tokens import estimate, estimate_blocks
from sessions.engine.words import money, plural

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


class WithinBudget:
    """A model that is not asked beyond the budget. What its own run spends counts at once, and what it is sent is
    captured."""

    def __init__(self, model: LanguageModel, run_id: int) -> None:
        self._model = Remembered(model, run_id)
        self._run_id = run_id
        self._spent = 0.0

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def verbatim(self) -> bool:
        return self._model.verbatim

    def ask(self, ask: Ask, /) -> Reply:
        sent = price_of(ask.model, Usage(_size(ask)))
        budget_hold(adding=self._spent, without=self._run_id, next_cost=sent)
        model_asked(self._run_id)
        try:
            reply = self._model.ask(ask)
        except ModelError as error:
            self._count(ask.model, error.usage or Usage())
            raise
        self._count(reply.model or ask.model, reply.usage, reply.cost_usd)
        return reply

    def _count(self, model: str, usage: Usage, cost: float | None = None) -> None:
        """Where no price is known, nothing can be counted."""
        self._spent += (price_of(model, usage) if cost is None else cost) or 0.0


def _size(ask: Ask) -> int:
    """An estimate of what is sent, as if none of it were cached."""
    system: list[Any] = [{"type": "text", "text": ask.system}] if isinstance(ask.system, str) else [*ask.system]
    return estimate(messages_of(list(ask.messages))) + estimate_blocks([*system, *ask.tools])
