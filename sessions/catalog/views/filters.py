"""The filters of the session list as they come in its address: what is wrong is ignored, and said."""

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
BIGGEST = 2**31 - 1


class FilterForm(forms.Form):
    text = forms.CharField(required=False, max_length=500)
    project = forms.IntegerField(required=False, min_value=0, max_value=BIGGEST)
    branch = forms.CharField(required=False, max_length=500)
    model = forms.CharField(required=False, max_length=200)
    since = forms.DateField(required=False, input_formats=["%Y-%m-%d"])
    until = forms.DateField(required=False, input_formats=["%Y-%m-%d"])
    kind = forms.ChoiceField(required=False, choices=[(kind, kind) for kind in ("", *KIND_NAMES)])
    compacted = forms.ChoiceField(required=False, choices=[("", "no"), ("1", "yes")])
    failed = forms.ChoiceField(required=False, choices=[("", "no"), ("1", "yes")])
    broke = forms.ChoiceField(required=False, choices=[("", "no"), ("1", "yes")])
    sort = forms.ChoiceField(required=False, choices=[(s, s) for name in SORTS for s in (name, f"-{name}")])
    page = forms.IntegerField(required=False, min_value=1, max_value=BIGGEST)


class Asked:
    """What an address of the session list asks for, as far as it makes sense."""

    def __init__(self, parameters: QueryDict) -> None:
        self._parameters = parameters
        form = FilterForm(parameters)
        form.is_valid()
        found: dict[str, Any] = form.cleaned_data
        self.ignored = [(name, parameters.get(name, "")[:80], messages[0]) for name, messages in form.errors.items()]
        self.sort = found.get("sort") or DEFAULT_SORT
        self.page: int = found.get("page") or 1
        self.filters = Filters(
            project=found.get("project"),
            branch=found.get("branch", ""),
            model=found.get("model", ""),
            since=found.get("since"),
            until=found.get("until"),
            compacted=bool(found.get("compacted")),
            failed=bool(found.get("failed")),
            broke=bool(found.get("broke")),
            text=found.get("text", ""),
            kind=found.get("kind", ""),
        )

    def chosen(self, project: str) -> list[tuple[str, str]]:
        """Each filter that is set, in words, with the address of the list without it."""
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
        for gone in (name, "page"):
            rest.pop(gone, None)
        return f"?{rest.urlencode()}"
