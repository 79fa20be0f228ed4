"""Dreams: when they are due, what they would read and cost, and the button that starts one now.

A model is asked only after its price was shown and confirmed; a tidy asks nobody."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from inspector.agents.choosing import choice_of
from inspector.budget.selectors import budget_at
from inspector.budget.services import budget_hold
from inspector.runs.models import Run
from inspector.runs.services import RunError
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.model_form import destination
from memory.dreams.selectors.page import (
    Dreamable,
    dreamable,
    dreamables,
    price,
)
from memory.dreams.services import dream_create
from memory.dreams.services.dream_lock import dreams_settle
from memory.dreams.services.dreaming import NO_MODEL, TOKENS, TURNS
from memory.models import Directory

CONFLICT = 409


@require_safe
def dream_list(request: HtmxRequest) -> HttpResponse:
    return _page(request)


@require_http_methods(["GET", "HEAD", "POST"])
def dream_start(request: HtmxRequest, directory_id: int) -> HttpResponse:
    """With POST; otherwise only the gates, live."""
    directory = get_object_or_404(Directory.objects.select_related("project"), pk=directory_id)
    if request.method != "POST":
        return _gates(request, directory)
    dreams_settle()
    found = dreamable(directory, enabled=settings.LUCID_DREAMS, now_ms=now_ms())
    model = choice_of(settings.MODELS).main if "dream" in request.POST else ""
    try:
        if found.shut:
            raise RunError(found.shut)
        if "dream" in request.POST:
            if choice_of(settings.MODELS).kind != "anthropic":
                raise RunError(NO_MODEL)
            budget_hold()
            if request.POST.get("confirmed") != model:
                return _confirm(request, found, model)
        run = dream_create(directory=directory, model=model)
    except RunError as error:
        return _page(request, refused=error.sentence, status=CONFLICT)
    response = redirect("run-detail", run.pk)
    response.status_code = 303
    return response


def _gates(request: HtmxRequest, directory: Directory) -> HttpResponse:
    found = dreamable(directory, enabled=settings.LUCID_DREAMS, now_ms=now_ms())
    if not request.htmx or found.ground is None:
        return redirect(f"{reverse('dream-list')}#memory-{directory.pk}")
    return render_page(request, "memory/_gates.html", {"ground": found.ground})


def confirmation_of(run: Run) -> str | None:
    """Where a dream is started again: its price is shown anew. None for what asks no model."""
    if not run.parameters.get("model"):
        return None
    return f"{reverse('dream-list')}#memory-{run.parameters['directory']}"


def _page(request: HtmxRequest, *, refused: str = "", status: int = 200) -> HttpResponse:
    choice = choice_of(settings.MODELS)
    found = dreamables(enabled=settings.LUCID_DREAMS, now_ms=now_ms())
    can_dream = choice.kind == "anthropic"
    context: dict[str, Any] = {
        "section": "dreams",
        "found": [(one, price(one.ground, choice.main, TOKENS) if one.ground and can_dream else None) for one in found],
        "choice": choice,
        "can_dream": can_dream,
        "no_model": NO_MODEL,
        "scheduled": settings.LUCID_DREAMS,
        "accepts": settings.LUCID_DREAMS_ACCEPT,
        "turns": TURNS,
        "refused": refused,
    }
    response = render_page(request, "memory/dreams.html", context)
    response.status_code = status
    return response


def _confirm(request: HtmxRequest, found: Dreamable, model: str) -> HttpResponse:
    """What would be read, by whom, and for how much. Nothing has been sent yet."""
    assert found.ground is not None
    budget = budget_at(now_ms())
    cost = price(found.ground, model, TOKENS)
    context = {
        "section": "dreams",
        "one": found,
        "model": model,
        "price": cost,
        "turns": TURNS,
        "destination": destination(choice_of(settings.MODELS)),
        "budget": budget,
        "beyond": budget.remaining is not None and cost.least is not None and cost.least > budget.remaining,
        "may_exceed": budget.remaining is not None and cost.most is not None and cost.most > budget.remaining,
    }
    return render_page(request, "memory/dream_confirm.html", context)
