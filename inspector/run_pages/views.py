"""Runs: all of them, one of them live, and what a person can do with it."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect
from django.utils.functional import SimpleLazyObject
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import reswap, retarget

from inspector.budget.selectors import budget_at
from inspector.run_pages.selectors import run_detail
from inspector.runs.models import Run
from inspector.runs.selectors.lists import (
    active_runs,
    run_card,
    run_cards,
    runs_found,
)
from inspector.runs.selectors.presence import WORKER, present
from inspector.runs.services import (
    RunError,
    all_kinds,
    kind_named,
    run_create,
    run_kill,
    run_retry,
)
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page, wants_partial
from inspector.web.paging import page_of
from inspector.web.query import page_number
from sessions.catalog.selectors.facets import project_tree

PER_PAGE = 30
STATUSES = ("active", *Run.Status.values)


@require_safe
def indicator(request: HtmxRequest) -> HttpResponse:
    """The header's mark of what is under way."""
    return render_page(request, "_run_indicator.html", {"runs": active_runs(now_ms())})


@require_safe
def listing(request: HtmxRequest) -> HttpResponse:
    now = now_ms()
    kind = request.GET.get("kind", "") if kind_named(request.GET.get("kind", "")) else ""
    status = request.GET.get("status", "") if request.GET.get("status") in STATUSES else ""
    found = runs_found(kind=kind, status=status)
    page = page_of(page_number(request), size=PER_PAGE, total=found.count())
    context = {
        "section": "runs",
        "kinds": all_kinds(),
        "kind": kind,
        "statuses": STATUSES,
        "status": status,
        "page": page,
        "cards": run_cards(found[page.start : page.stop], now),
        "workers": SimpleLazyObject(lambda: present(WORKER)),
        "budget": SimpleLazyObject(lambda: budget_at(now)),
        "projects": project_tree(),
    }
    return render_page(request, "runs.html", context, partials=("run-list",))


@require_safe
def detail(request: HtmxRequest, run_id: int) -> HttpResponse:
    shown = run_detail(run_id, now_ms())
    if shown is None:
        raise Http404(f"There is no run {run_id}.")
    context = {
        "section": "runs",
        "shown": shown,
        "card": shown.card,
        "log": settings.LOG_FILE,
        # The part that is asked for every second has no use for it.
        "projects": SimpleLazyObject(project_tree),
    }
    if wants_partial(request, "run-live") and request.GET.get("shown") != shown.card.state:
        return _whole(render_page(request, "run.html#run", context), "#run")
    return render_page(request, "run.html", context, partials=("run-live", "run"))


@require_safe
def card(request: HtmxRequest, run_id: int) -> HttpResponse:
    """A run in a list: its moving part, or all of it when it has begun or ended."""
    run = get_object_or_404(runs_found(), pk=run_id)
    shown = run_card(run, now_ms())
    if request.GET.get("shown") == shown.state:
        return render_page(request, "_run_card.html#live", {"card": shown})
    return _whole(render_page(request, "_run_card.html", {"card": shown}), f"#run-{run_id}")


@require_POST
def start(request: HtmxRequest) -> HttpResponse:
    kind = kind_named(request.POST.get("kind", ""))
    if kind is None or not kind.about:
        raise Http404("There is no such run to start.")
    return _see(run_create(kind=kind.name))


@require_POST
def kill(request: HtmxRequest, run_id: int) -> HttpResponse:
    run = get_object_or_404(Run.objects.only("pk"), pk=run_id)
    run_kill(run_id=run.pk)
    in_list = bool(request.htmx) and request.htmx.target == f"run-{run_id}"
    return _see(run, "run-card" if in_list else "run-detail")


@require_POST
def retry(request: HtmxRequest, run_id: int) -> HttpResponse:
    run = get_object_or_404(Run, pk=run_id)
    kind = kind_named(run.kind)
    address = kind.confirmation(run) if kind is not None else None
    if address is not None:
        return _elsewhere(HttpResponseRedirect(address))
    try:
        return _see(run_retry(run=run))
    except RunError as error:
        return HttpResponse(f"{error.sentence}\n", status=409, content_type="text/plain; charset=utf-8")


def _see(run: Run, page: str = "run-detail") -> HttpResponse:
    """Another page, to be asked for with GET: reloading it does nothing again."""
    response = redirect(page, run.pk)
    assert isinstance(response, HttpResponseRedirect)
    return _elsewhere(response)


def _elsewhere(response: HttpResponseRedirect) -> HttpResponse:
    response.status_code = 303
    return response


def _whole(response: HttpResponse, selector: str) -> HttpResponse:
    """Replaces what is around the part that asked. `closest`, because the answer to a kill may have replaced that part
    meanwhile: then there is nothing to replace, and nothing goes wrong."""
    return reswap(retarget(response, f"closest {selector}"), "outerHTML")
