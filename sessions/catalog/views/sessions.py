"""The list of sessions, with filters, order and page in its address."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.paging import page_of
from sessions.catalog.selectors.facets import load_facets, project_tree
from sessions.catalog.selectors.sessions import Filters, filtered_sessions, session_lines
from sessions.catalog.views.filters import KIND_NAMES, SessionListQuery

PER_PAGE = 50

TITLES = {
    "title": "Session",
    "project": "Project",
    "branch": "Branch",
    "model": "Model",
    "last": "Last activity",
    "duration": "Duration",
    "turns": "Turns",
    "entries": "Entries",
    "tokens": "Tokens",
    "cost": "Cost",
    "compactions": "Compactions",
    "breaks": "Cache breaks",
    "errors": "Errors",
}
SHORT = {"compactions": "Comp.", "breaks": "Cache"}
WORDS = {"title", "project", "branch", "model"}


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    label: str
    short: str
    numeric: bool
    order: str
    """ascending, descending, or empty if another column determines the order"""
    sort: str
    """The sort order after a click on it."""


@require_safe
def transcript_list(request: HtmxRequest) -> HttpResponse:
    now = now_ms()
    query = SessionListQuery(request.GET)
    sessions = filtered_sessions(query.filters, now=now)
    page = page_of(query.page, size=PER_PAGE, total=sessions.count())
    projects = project_tree()
    project = next((node for node in projects if node.id == query.filters.project), None)
    context = {
        "section": "sessions",
        "filters": query.filters,
        "ignored": query.ignored,
        "sort": query.sort,
        "columns": make_columns(query.sort),
        "page": page,
        "lines": session_lines(sessions, sort=query.sort, start=page.start, stop=page.stop, now=now),
        "projects": projects,
        "project": project,
        "chosen": query.describe_filters(project.name if project else "unknown project"),
        "kinds": KIND_NAMES.items(),
        "narrowed": query.filters != Filters(),
        "facets": load_facets(query.filters.project),
    }
    return render_page(request, "sessions/catalog/list.html", context, partials=("sessions",))


def make_columns(sort: str) -> list[Column]:
    """The first click sorts numbers and dates descending, words ascending; a second click reverses the order."""
    by, down = sort.removeprefix("-"), sort.startswith("-")
    columns = []
    for name, label in TITLES.items():
        order = "" if name != by else "descending" if down else "ascending"
        descend = not down if order else name not in WORDS
        numeric = name not in WORDS and name != "last"
        columns.append(Column(name, label, SHORT.get(name, ""), numeric, order, f"-{name}" if descend else name))
    return columns
