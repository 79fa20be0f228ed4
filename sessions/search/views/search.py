"""The search page: indexed text at once, and everything else on demand, in slices that can be cancelled."""

from __future__ import annotations

from urllib.parse import urlencode

from django import forms
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from inspector.web.htmx import HtmxRequest, render_page, wants_partial
from sessions.catalog.selectors.facets import project_tree
from sessions.catalog.views.filters import MAX_INTEGER
from sessions.search.selectors.deep_search import search_slice
from sessions.search.selectors.indexed_search import MAX_SKIPPED, search_index

PER_PAGE = 10
PER_PIECE = 30
"""Hits per request after the first page, fetched when the reader scrolls to the end."""
SLICE_SECONDS = 0.4
"""Short, so that first hits appear early and Cancel works at once."""

DEEP, MORE = "deep-slice", "more-hits"


class SearchForm(forms.Form):
    q = forms.CharField(required=False, max_length=1000)
    project = forms.IntegerField(required=False, min_value=0, max_value=MAX_INTEGER)
    before = forms.IntegerField(required=False, min_value=1, max_value=MAX_SKIPPED)
    deep = forms.ChoiceField(required=False, choices=[("", "no"), ("1", "yes")])
    cursor = forms.IntegerField(required=False, min_value=1, max_value=MAX_INTEGER)


@require_safe
def search_page(request: HtmxRequest) -> HttpResponse:
    form = SearchForm(request.GET)
    form.is_valid()
    query, project = form.cleaned_data.get("q", ""), form.cleaned_data.get("project")
    deep, cursor = bool(form.cleaned_data.get("deep")), form.cleaned_data.get("cursor")
    context: dict[str, object] = {"query": query, "project_id": project, "deep": deep, "problems": form.errors}
    if query and deep:
        context |= _slice(query, project, cursor)
    if not wants_partial(request, DEEP):
        piece = wants_partial(request, MORE)
        context["projects"] = [] if piece else project_tree()
        if query and not cursor:
            before = form.cleaned_data.get("before") or ""
            results = search_index(query, project=project, limit=PER_PIECE if piece else PER_PAGE, before=str(before))
            context |= {
                "results": results,
                "older": results.next if results.next and int(results.next) <= MAX_SKIPPED else None,
            }
    return render_page(request, "sessions/search/search.html", context, partials=(DEEP, MORE))


def _slice(query: str, project: int | None, cursor: int | None) -> dict[str, object]:
    part = search_slice(query, str(cursor or ""), seconds=SLICE_SECONDS, project=project)
    context: dict[str, object] = {"slice": part, "shallow": search_address(query, project)}
    if part.cursor:
        context["rest"] = search_address(query, project, deep="1", cursor=part.cursor)
    return context


def search_address(query: str, project: int | None, **more: str) -> str:
    parameters = {"q": query, **({} if project is None else {"project": str(project)}), **more}
    return f"{reverse('search')}?{urlencode(parameters)}"
