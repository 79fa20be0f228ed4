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
from memory.dreams.selectors.page import DirectoryDreams, directory_dreams, estimate_price, list_directory_dreams
from memory.dreams.selectors.parent import find_dream_parent
from memory.dreams.services import dream_create
from memory.dreams.services.dream_agent import NO_MODEL, TOKENS, TURNS
from memory.dreams.services.dream_lock import dreams_clean_up
from memory.models import Directory
from sessions.usage.engine.prices import cost_of
from sessions.usage.engine.usage import Usage

CONFLICT = 409


@require_safe
def dream_list(request: HtmxRequest) -> HttpResponse:
    return _render_page(request)


@require_http_methods(["GET", "HEAD", "POST"])
def dream_start(request: HtmxRequest, directory_id: int) -> HttpResponse:
    """With POST; otherwise only the gates, live."""
    directory = get_object_or_404(Directory.objects.select_related("project"), pk=directory_id)
    if request.method != "POST":
        return _render_gates(request, directory)
    dreams_clean_up()
    dreams = directory_dreams(directory, enabled=settings.LUCID_DREAMS, now_ms=now_ms())
    model = choice_of(settings.MODELS).main if "dream" in request.POST else ""
    try:
        if dreams.closed_reason:
            raise RunError(dreams.closed_reason)
        if "dream" in request.POST:
            if choice_of(settings.MODELS).kind != "anthropic":
                raise RunError(NO_MODEL)
            budget_hold()
            if request.POST.get("confirmed") != model:
                return _render_confirmation(request, dreams, model)
        run = dream_create(directory=directory, model=model, forks="alone" not in request.POST)
    except RunError as error:
        return _render_page(request, refused=error.sentence, status=CONFLICT)
    response = redirect("run-detail", run.pk)
    response.status_code = 303
    return response


def _render_gates(request: HtmxRequest, directory: Directory) -> HttpResponse:
    dreams = directory_dreams(directory, enabled=settings.LUCID_DREAMS, now_ms=now_ms())
    if not request.htmx or dreams.situation is None:
        return redirect(f"{reverse('dream-list')}#memory-{directory.pk}")
    return render_page(request, "memory/dreams/_gates.html", {"situation": dreams.situation})


def confirmation_of(run: Run) -> str | None:
    """Where a dream is started again: its price is shown anew. None for what asks no model."""
    if not run.parameters.get("model"):
        return None
    return f"{reverse('dream-list')}#memory-{run.parameters['directory']}"


def _render_page(request: HtmxRequest, *, refused: str = "", status: int = 200) -> HttpResponse:
    choice = choice_of(settings.MODELS)
    directories = list_directory_dreams(enabled=settings.LUCID_DREAMS, now_ms=now_ms())
    can_dream = choice.kind == "anthropic"
    context: dict[str, Any] = {
        "section": "dreams",
        "directories": [
            (dreams, estimate_price(dreams.situation, choice.main, TOKENS) if dreams.situation and can_dream else None)
            for dreams in directories
        ],
        "choice": choice,
        "can_dream": can_dream,
        "no_model": NO_MODEL,
        "scheduled": settings.LUCID_DREAMS,
        "accepts": settings.LUCID_DREAMS_ACCEPT,
        "turns": TURNS,
        "refused": refused,
    }
    response = render_page(request, "memory/dreams/dreams.html", context)
    response.status_code = status
    return response


def _render_confirmation(request: HtmxRequest, dreams: DirectoryDreams, model: str) -> HttpResponse:
    """What would be read, by whom, and for how much. Nothing has been sent yet."""
    assert dreams.situation is not None
    budget = budget_at(now_ms())
    cost = estimate_price(dreams.situation, model, TOKENS)
    parent = find_dream_parent(dreams.directory, now_ms())
    context = {
        "parent": parent,
        "turn_cost": cost_of(parent.request.params.model, Usage(0, parent.tokens)) if parent.request else None,
        "section": "dreams",
        "dreams": dreams,
        "model": model,
        "price": cost,
        "turns": TURNS,
        "destination": destination(choice_of(settings.MODELS)),
        "budget": budget,
        "beyond": budget.remaining is not None and cost.least is not None and cost.least > budget.remaining,
        "may_exceed": budget.remaining is not None and cost.most is not None and cost.most > budget.remaining,
    }
    return render_page(request, "memory/dreams/dream_confirm.html", context)
