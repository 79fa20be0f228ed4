"""The pages of runs: the list, a single run live, and the buttons that start, kill and retry."""

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
from inspector.runs.selectors.lists import active_runs, filter_runs, run_card, run_cards
from inspector.runs.selectors.presence import WORKER, list_processes
from inspector.runs.services import RunError, find_run_kind, list_run_kinds, run_create, run_kill, run_retry
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page, wants_partial
from inspector.web.paging import page_of
from inspector.web.query import page_number
from sessions.catalog.selectors.facets import project_tree

PER_PAGE = 30
STATUSES = ("active", *Run.Status.values)


@require_safe
def indicator(request: HtmxRequest) -> HttpResponse:
    """The mark in the header that shows how many runs are under way."""
    return render_page(request, "inspector/run_pages/_run_indicator.html", {"runs": active_runs(now_ms())})


@require_safe
def listing(request: HtmxRequest) -> HttpResponse:
    now = now_ms()
    kind = request.GET.get("kind", "") if find_run_kind(request.GET.get("kind", "")) else ""
    status = request.GET.get("status", "") if request.GET.get("status") in STATUSES else ""
    runs = filter_runs(kind=kind, status=status)
    page = page_of(page_number(request), size=PER_PAGE, total=runs.count())
    context = {
        "section": "runs",
        "kinds": list_run_kinds(),
        "kind": kind,
        "statuses": STATUSES,
        "status": status,
        "page": page,
        "cards": run_cards(runs[page.start : page.stop], now),
        "workers": SimpleLazyObject(lambda: list_processes(WORKER)),
        "budget": SimpleLazyObject(lambda: budget_at(now)),
        "projects": project_tree(),
    }
    return render_page(request, "inspector/run_pages/runs.html", context, partials=("run-list",))


@require_safe
def detail(request: HtmxRequest, run_id: int) -> HttpResponse:
    run_view = run_detail(run_id, now_ms())
    if run_view is None:
        raise Http404(f"There is no run {run_id}.")
    context = {
        "section": "runs",
        "detail": run_view,
        "card": run_view.card,
        "log": settings.LOG_FILE,
        # The part that is fetched every second does not need it.
        "projects": SimpleLazyObject(project_tree),
    }
    if wants_partial(request, "run-live") and request.GET.get("shown") != run_view.card.state:
        return _replace_whole(render_page(request, "inspector/run_pages/run.html#run", context), "#run")
    return render_page(request, "inspector/run_pages/run.html", context, partials=("run-live", "run"))


@require_safe
def card(request: HtmxRequest, run_id: int) -> HttpResponse:
    """A run in a list: its progress, or the whole card when its state has changed."""
    run = get_object_or_404(filter_runs(), pk=run_id)
    run_view = run_card(run, now_ms())
    if request.GET.get("shown") == run_view.state:
        return render_page(request, "inspector/run_pages/_run_card.html#live", {"card": run_view})
    return _replace_whole(
        render_page(request, "inspector/run_pages/_run_card.html", {"card": run_view}), f"#run-{run_id}"
    )


@require_POST
def start(request: HtmxRequest) -> HttpResponse:
    kind = find_run_kind(request.POST.get("kind", ""))
    if kind is None or not kind.description:
        raise Http404("There is no such run to start.")
    return _redirect_to_run(run_create(kind=kind.name))


@require_POST
def kill(request: HtmxRequest, run_id: int) -> HttpResponse:
    run = get_object_or_404(Run.objects.only("pk"), pk=run_id)
    run_kill(run_id=run.pk)
    in_list = bool(request.htmx) and request.htmx.target == f"run-{run_id}"
    return _redirect_to_run(run, "run-card" if in_list else "run-detail")


@require_POST
def retry(request: HtmxRequest, run_id: int) -> HttpResponse:
    run = get_object_or_404(Run, pk=run_id)
    kind = find_run_kind(run.kind)
    address = kind.confirmation_url(run) if kind is not None else None
    if address is not None:
        return _see_other(HttpResponseRedirect(address))
    try:
        return _redirect_to_run(run_retry(run=run))
    except RunError as error:
        return HttpResponse(f"{error.sentence}\n", status=409, content_type="text/plain; charset=utf-8")


def _redirect_to_run(run: Run, page: str = "run-detail") -> HttpResponse:
    """With GET, so that reloading the page repeats nothing."""
    response = redirect(page, run.pk)
    assert isinstance(response, HttpResponseRedirect)
    return _see_other(response)


def _see_other(response: HttpResponseRedirect) -> HttpResponse:
    response.status_code = 303
    return response


def _replace_whole(response: HttpResponse, selector: str) -> HttpResponse:
    """Replaces the element around the part that was requested. `closest`, because the answer to a kill may have
    replaced that part meanwhile; then nothing matches and nothing is replaced."""
    return reswap(retarget(response, f"closest {selector}"), "outerHTML")
