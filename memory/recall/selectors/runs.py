"""What a recall would cost if a model were asked, and the runs that did ask."""

from __future__ import annotations

from inspector.runs.models import Run
from inspector.runs.selectors.lists import ACTIVE
from memory.models import Directory
from memory.recall.engine import ANSWER_TOKENS, PreparedRecall
from sessions.agents.selectors.activity import Price
from sessions.usage.engine.prices import cost_of
from sessions.usage.engine.usage import Usage


def price_of(prepared: PreparedRecall, model: str) -> Price:
    """An estimate: what is sent, and as many tokens of an answer as are allowed."""
    sent = prepared.question.tokens
    return Price(model, sent + ANSWER_TOKENS, cost_of(model, Usage(sent, 0, 0, 0, ANSWER_TOKENS)))


def recall_run_get(directory: Directory, number: int) -> Run | None:
    """A run that asked about this directory."""
    return Run.objects.filter(pk=number, kind="recall", parameters__directory=directory.pk).first()


def evaluation_of(directory: Directory) -> tuple[Run | None, Run | None]:
    """The run that is under way, and the last that was completed."""
    runs = Run.objects.filter(kind="recall evaluation", parameters__directory=directory.pk).order_by("-pk")
    return runs.filter(status__in=ACTIVE).first(), runs.filter(status=Run.Status.COMPLETED).first()
