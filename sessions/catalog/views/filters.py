"""Parses the filters of the session list from its address. Invalid ones are ignored and reported."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import QueryDict

from sessions.catalog.selectors.sessions import LIVE, SORTS, Filters

KIND_NAMES = {
    LIVE: "going on now",
    "fork": "forks",
    "continued": "continued in another",
    "vanished": "only in the archive",
}
DEFAULT_SORT = "-last"
MAX_INTEGER = 2**31 - 1


class FilterForm(forms.Form):
    text = forms.CharField(required=False, max_length=500)
    project = forms.IntegerField(required=False, min_value=0, max_value=MAX_INTEGER)
    branch = forms.CharField(required=False, max_length=500)
    model = forms.CharField(required=False, max_length=200)
    since = forms.DateField(required=False, input_formats=["%Y-%m-%d"])
    until = forms.DateField(required=False, input_formats=["%Y-%m-%d"])
    kind = forms.ChoiceField(required=False, choices=[(kind, kind) for kind in ("", *KIND_NAMES)])
    compacted = forms.ChoiceField(required=False, choices=[("", "no"), ("1", "yes")])
    failed = forms.ChoiceField(required=False, choices=[("", "no"), ("1", "yes")])
    broke = forms.ChoiceField(required=False, choices=[("", "no"), ("1", "yes")])
    sort = forms.ChoiceField(required=False, choices=[(s, s) for name in SORTS for s in (name, f"-{name}")])
    page = forms.IntegerField(required=False, min_value=1, max_value=MAX_INTEGER)


class SessionListQuery:
    """The valid part of a query for the session list."""

    def __init__(self, parameters: QueryDict) -> None:
        self._parameters = parameters
        form = FilterForm(parameters)
        form.is_valid()
        values: dict[str, Any] = form.cleaned_data
        self.ignored = [(name, parameters.get(name, "")[:80], messages[0]) for name, messages in form.errors.items()]
        self.sort = values.get("sort") or DEFAULT_SORT
        self.page: int = values.get("page") or 1
        self.filters = Filters(
            project=values.get("project"),
            branch=values.get("branch", ""),
            model=values.get("model", ""),
            since=values.get("since"),
            until=values.get("until"),
            compacted=bool(values.get("compacted")),
            failed=bool(values.get("failed")),
            broke=bool(values.get("broke")),
            text=values.get("text", ""),
            kind=values.get("kind", ""),
        )

    def describe_filters(self, project: str) -> list[tuple[str, str]]:
        """Each active filter in words, with the address of the list without it."""
        filters = self.filters
        words = {
            "text": f"“{filters.text}”" if filters.text else "",
            "project": project if filters.project is not None else "",
            "branch": filters.branch,
            "model": filters.model,
            "since": f"from {filters.since}" if filters.since else "",
            "until": f"to {filters.until}" if filters.until else "",
            "kind": KIND_NAMES.get(filters.kind, ""),
            "compacted": "compacted" if filters.compacted else "",
            "failed": "with errors" if filters.failed else "",
            "broke": "with cache breaks" if filters.broke else "",
        }
        return [(word, self._without(name)) for name, word in words.items() if word]

    def _without(self, name: str) -> str:
        rest = self._parameters.copy()
        for parameter in (name, "page"):
            rest.pop(parameter, None)
        return f"?{rest.urlencode()}"
