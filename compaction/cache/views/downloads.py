"""Every break of the cache, for a spreadsheet or a script. Secrets that a sentence quotes are masked."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from compaction.management.commands.cache import as_json
from compaction.models import CacheBreak
from inspector.web.htmx import HtmxRequest
from inspector.web.query import query_number
from sessions.secrets.engine import mask
from sessions.text.engine.invisible_characters import spell_invisible

COLUMNS = (
    "session",
    "project",
    "at",
    "message_id",
    "model",
    "agent",
    "previous_read",
    "read",
    "written",
    "causes",
    "expected",
    "wasted_tokens",
    "cost_usd",
    "exactness",
    "agrees",
    "detail",
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@require_safe
def breaks_csv(request: HtmxRequest) -> HttpResponse:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for row in _rows(request):
        writer.writerow([_cell(row[name]) for name in COLUMNS])
    return _download(text.getvalue(), "text/csv; charset=utf-8", "cache-breaks.csv")


@require_safe
def breaks_json(request: HtmxRequest) -> HttpResponse:
    found = json.dumps(list(_rows(request)), ensure_ascii=False)
    return _download(found, "application/json", "cache-breaks.json")


def _rows(request: HtmxRequest) -> Iterator[dict[str, Any]]:
    """Expected ones too: the column says so."""
    found = CacheBreak.objects.select_related("session__project").order_by("at", "pk")
    project = query_number(request, "project")
    if project is not None:
        found = found.filter(session__project=project)
    for one in found.iterator(chunk_size=500):
        known = {"session": one.session.public_id, "project": one.session.project.name}
        yield {**known, **_masked(as_json(one))}


def _masked(value: Any) -> Any:
    if isinstance(value, str):
        return spell_invisible(mask(value))
    if isinstance(value, dict):
        return {name: _masked(one) for name, one in value.items()}
    return [_masked(one) for one in value] if isinstance(value, list) else value


def _cell(value: Any) -> Any:
    """What a spreadsheet would take for a formula is kept a text."""
    if isinstance(value, list):
        value = " ".join(map(str, value))
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _download(text: str, kind: str, name: str) -> HttpResponse:
    return HttpResponse(text, content_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})
