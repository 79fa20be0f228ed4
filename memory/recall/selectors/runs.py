"""The price of asking a model, and the runs that asked one."""

from __future__ import annotations

from inspector.runs.models import Run
from inspector.runs.selectors.lists import ACTIVE
from memory.models import Directory
from memory.recall.engine import ANSWER_TOKENS, PreparedRecall
from sessions.agents.selectors.activity import Price
from sessions.usage.engine.prices import cost_of
from sessions.usage.engine.usage import Usage


def price_of(prepared: PreparedRecall, model: str) -> Price:
    """Estimated, with the longest answer allowed."""
    sent = prepared.question.tokens
    return Price(model, sent + ANSWER_TOKENS, cost_of(model, Usage(sent, 0, 0, 0, ANSWER_TOKENS)))


def recall_run_get(directory: Directory, number: int) -> Run | None:
    """A recall run of this directory."""
    return Run.objects.filter(pk=number, kind="recall", parameters__directory=directory.pk).first()


def evaluation_of(directory: Directory) -> tuple[Run | None, Run | None]:
    """The active run and the last completed one."""
    runs = Run.objects.filter(kind="recall evaluation", parameters__directory=directory.pk).order_by("-pk")
    return runs.filter(status__in=ACTIVE).first(), runs.filter(status=Run.Status.COMPLETED).first()
