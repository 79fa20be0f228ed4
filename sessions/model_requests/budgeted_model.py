"""A model that a run may ask for as long as the monthly budget lasts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspector.agents.errors import ModelError
from inspector.agents.model import Ask, LanguageModel, Reply
from inspector.agents.together import Answered
from inspector.budget.services import budget_hold
from inspector.runs.services.local_runs import mark_model_asked
from sessions.model_requests.captured_model import CapturedModel
from sessions.transcripts.engine.messages import read_messages
from sessions.usage.engine.prices import cost_of
from sessions.usage.engine.tokens import estimate, estimate_blocks
from sessions.usage.engine.usage import Usage


class BudgetedModel:
    """A model that is not asked beyond the budget. What its own run spends counts at once, and its requests are
    captured."""

    def __init__(self, model: LanguageModel, run_id: int) -> None:
        self._model = CapturedModel(model, run_id)
        self._run_id = run_id
        self._spent = 0.0

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def verbatim(self) -> bool:
        return self._model.verbatim

    def ask(self, ask: Ask, /) -> Reply:
        sent = cost_of(ask.model, Usage(_size(ask)))
        budget_hold(extra_spent=self._spent, exclude_run=self._run_id, next_cost=sent)
        mark_model_asked(self._run_id)
        try:
            reply = self._model.ask(ask)
        except ModelError as error:
            self._count(ask.model, error.usage or Usage())
            raise
        self._count(reply.model or ask.model, reply.usage, reply.cost_usd)
        return reply

    def ask_together(self, asks: Sequence[Ask]) -> tuple[Answered, ...]:
        """Sends several requests at once, if the budget allows all of them."""
        costs = [cost for ask in asks if (cost := cost_of(ask.model, Usage(_size(ask)))) is not None]
        budget_hold(extra_spent=self._spent, exclude_run=self._run_id, next_cost=sum(costs))
        mark_model_asked(self._run_id)
        answers = self._model.ask_together(asks)
        for answered in answers:
            if isinstance(answered.outcome, ModelError):
                self._count(answered.ask.model, answered.outcome.usage or Usage())
            else:
                reply = answered.outcome
                self._count(reply.model or answered.ask.model, reply.usage, reply.cost_usd)
        return answers

    def _count(self, model: str, usage: Usage, cost: float | None = None) -> None:
        """Requests to a model without a price cannot be counted."""
        self._spent += (cost_of(model, usage) if cost is None else cost) or 0.0


def _size(ask: Ask) -> int:
    """The estimated size of a request, as if none of it were cached."""
    system: list[Any] = [{"type": "text", "text": ask.system}] if isinstance(ask.system, str) else [*ask.system]
    return estimate(read_messages(list(ask.messages))) + estimate_blocks([*system, *ask.tools])
