"""Asks a session for its summary, its notes and its memories at once: shows the price, and starts the run. Nothing is
sent before the price was shown and confirmed."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from compaction.questions.selectors import Askable, find_askable
from compaction.questions.services import KIND
from inspector.agents.choosing import choice_of
from inspector.budget.selectors import budget_at
from inspector.budget.services import budget_hold
from inspector.runs.models import Run
from inspector.runs.services import RunError, run_create
from inspector.web.addresses import session_root
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.model_form import UNFIT, destination
from memory.extraction.services.runs import extraction_require_model
from sessions.models import Transcript
from sessions.requests.selectors.warmth import cache_warmth
from sessions.transcripts.selectors.session import SessionHead, session_head
from sessions.usage.engine.price_forecast import forecast_price


@require_http_methods(["GET", "HEAD", "POST"])
def transcript_questions(request: HtmxRequest, session: str) -> HttpResponse:
    head = session_head(session, now_ms())
    askable = find_askable(head.transcript, now_ms())
    if request.method != "POST" or askable.parent is None or request.POST.get("confirmed") != askable.model:
        return _show(request, head, askable)
    try:
        extraction_require_model(head.transcript)
        budget_hold()
    except RunError as error:
        return _show(request, head, askable, refused=error.sentence)
    run = run_create(
        kind=KIND,
        target=head.public_id,
        target_url=reverse("transcript-questions", args=[head.public_id]),
        parameters={"transcript": head.transcript.pk, "model": askable.model},
    )
    response = HttpResponseRedirect(reverse("run-detail", args=[run.pk]))
    response.status_code = 303
    return response


def confirmation_of(run: Run) -> str | None:
    """The page that restarts it, because the price is shown again."""
    rows = Transcript.objects.filter(pk=run.parameters.get("transcript"))
    public_id = rows.values_list("public_id", flat=True).first()
    return None if public_id is None else reverse("transcript-questions", args=[public_id])


def _show(request: HtmxRequest, head: SessionHead, askable: Askable, *, refused: str = "") -> HttpResponse:
    price, budget = forecast_price(askable.model, askable.weights), budget_at(now_ms())
    values: dict[str, Any] = {
        "section": "sessions",
        "tab": "notes",
        "head": head,
        "session": head.transcript,
        "root": session_root(head.transcript),
        "askable": askable,
        "questions": list(zip(askable.questions, askable.weights, strict=True)),
        "warmth": cache_warmth(head.transcript, now_ms()),
        "model": askable.model,
        "choice": choice_of(settings.MODELS),
        "destination": destination(choice_of(settings.MODELS)),
        "price": price,
        "budget": budget,
        "unable": askable.parent is None,
        "beyond": budget.remaining is not None and price.least is not None and price.least > budget.remaining,
        "may_exceed": budget.remaining is not None and price.most is not None and price.most > budget.remaining,
        "refused": refused,
    }
    response = render_page(request, "compaction/questions/questions.html", values)
    response.status_code = UNFIT if refused else 200
    return response
