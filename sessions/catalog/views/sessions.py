"""The list of sessions: filtered, sorted and paged by its address alone."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.paging import page_of
from sessions.catalog.selectors.facets import facets, project_tree
from sessions.catalog.selectors.sessions import Filters, filtered_sessions, session_lines
from sessions.catalog.views.filters import KIND_NAMES, Asked

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
    """ascending, descending, or empty when the list is in another column's order"""
    sort: str
    """What a click on it sorts by."""


@require_safe
def transcript_list(request: HtmxRequest) -> HttpResponse:
    now = now_ms()
    asked = Asked(request.GET)
    found = filtered_sessions(asked.filters, now=now)
    page = page_of(asked.page, size=PER_PAGE, total=found.count())
    projects = project_tree()
    project = next((node for node in projects if node.id == asked.filters.project), None)
    context = {
        "section": "sessions",
        "filters": asked.filters,
        "ignored": asked.ignored,
        "sort": asked.sort,
        "columns": columns(asked.sort),
        "page": page,
        "lines": session_lines(found, sort=asked.sort, start=page.start, stop=page.stop, now=now),
        "projects": projects,
        "project": project,
        "chosen": asked.chosen(project.name if project else "unknown project"),
        "kinds": KIND_NAMES.items(),
        "narrowed": asked.filters != Filters(),
        "facets": facets(asked.filters.project),
    }
    return render_page(request, "transcripts/list.html", context, partials=("sessions",))


def columns(sort: str) -> list[Column]:
    """Numbers and dates start with the greatest, words with the first; a second click turns the order around."""
    by, down = sort.removeprefix("-"), sort.startswith("-")
    made = []
    for name, label in TITLES.items():
        order = "" if name != by else "descending" if down else "ascending"
        descend = not down if order else name not in WORDS
        numeric = name not in WORDS and name != "last"
        made.append(Column(name, label, SHORT.get(name, ""), numeric, order, f"-{name}" if descend else name))
    return made
