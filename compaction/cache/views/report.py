"""The prompt cache in all sessions or in those of a project: what its breaks cost, why, where and when."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from compaction.cache.engine.costs.cache_summary import Loss, cause_title, describe_cache, format_percent
from compaction.cache.selectors.report import CacheReport
from compaction.cache.selectors.tab import KIND
from compaction.cache.views.session import break_view
from compaction.cache.views.trend import trend_of
from inspector.runs.models import Run
from inspector.runs.selectors.lists import ACTIVE, DETAIL_FIELDS, run_cards
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.paging import page_of
from inspector.web.query import page_number, query_number
from inspector.web.svg import token_bar
from sessions.catalog.selectors.facets import ProjectNode, project_tree
from sessions.secrets.engine import mask
from sessions.text.engine.invisible_characters import spell_invisible

TEMPLATE = "compaction/cache/report.html"
PAGE_SIZE = 20


@require_safe
def cache_report(request: HtmxRequest) -> HttpResponse:
    projects = project_tree()
    chosen = query_number(request, "project")
    project = next((node for node in projects if node.id == chosen), None)
    report = CacheReport(None if project is None else project.id)
    counted = sum(loss.count for loss in report.losses)
    page = page_of(page_number(request), size=PAGE_SIZE, total=counted)
    totals = report.totals
    values = {
        "section": "cache",
        "projects": projects,
        "project": project,
        "answer": _answer(totals, report.losses, project.name if project else ""),
        "totals": totals,
        "rate": format_percent(totals["hit_rate"]),
        "bar": token_bar([(name, name, totals[name]) for name in ("read", "written", "fresh")]),
        "causes": _causes(report.losses),
        "page": page,
        "breaks": [_list_item(row) for row in report.worst[page.start : page.stop]],
    }
    if not request.htmx or request.htmx.target != "breaks":
        values |= _surroundings(report, {} if project else {node.id: node for node in projects})
    return render_page(request, TEMPLATE, values, partials=("breaks", "report"))


def _surroundings(report: CacheReport, projects: dict[int, ProjectNode]) -> dict[str, Any]:
    runs = Run.objects.filter(kind=KIND, status__in=ACTIVE).defer(*DETAIL_FIELDS).order_by("-pk")[:1]
    return {
        "trend": trend_of(report.hours()),
        "sessions": report.sessions(),
        "by_project": [(projects[pk], share) for pk, share in report.projects() if pk in projects],
        "unseen": report.unscanned_count(),
        "runs": run_cards(runs, now_ms()),
    }


def _answer(totals: dict[str, Any], losses: list[Loss], project: str) -> str:
    return describe_cache(
        totals, losses, f"the sessions of {spell_invisible(mask(project))}" if project else "all sessions"
    )


def _causes(losses: list[Loss]) -> list[dict[str, Any]]:
    """Each with a bar: for its cost, or for its tokens if no price is known."""
    priced = any(loss.cost for loss in losses)
    most = max(((loss.cost or 0.0) if priced else float(loss.wasted) for loss in losses), default=0.0)
    return [
        {
            "loss": loss,
            "title": cause_title(loss.cause),
            "width": round(100 * ((loss.cost or 0.0) if priced else loss.wasted) / most, 2) if most else 0,
        }
        for loss in losses
    ]


def _list_item(row: Any) -> dict[str, Any]:
    return {**break_view(row), "session_title": row.session.name or "Untitled session"}
