"""All breaks of the cache as a download, for a spreadsheet or a script. Secrets in sentences are masked."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_safe

from compaction.cache.selectors.break_diff import break_diff
from compaction.cache.selectors.breaks import BreakMissingError, break_of, session_of
from compaction.compare.selectors.points import Points
from compaction.compare.selectors.request_pairs import request_end
from compaction.management.commands.cache import break_json
from compaction.models import CacheBreak
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest
from inspector.web.query import query_number
from sessions.secrets.engine import mask
from sessions.text.engine.invisible_characters import spell_invisible
from sessions.transcripts.selectors.session import session_head

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
    document = json.dumps(list(_rows(request)), ensure_ascii=False)
    return _download(document, "application/json", "cache-breaks.json")


@require_safe
def break_diff_file(request: HtmxRequest, session: str, message_id: str) -> HttpResponse:
    """The two requests of one break as a unified diff."""
    head = session_head(session, now_ms())
    try:
        row = break_of(session_of(head.transcript), message_id)
    except BreakMissingError as error:
        raise Http404("No break of the cache of this session is known at that request.") from error
    points = Points(row.transcript)
    before, after = (request_end(points, name) for name in (row.previous_message_id, row.message_id))
    lines = break_diff(row, before.loaded_context, after.loaded_context)
    return _download("\n".join([*lines, ""]), "text/x-diff; charset=utf-8", "cache-break.diff")


def _rows(request: HtmxRequest) -> Iterator[dict[str, Any]]:
    """Expected breaks too; a column says so."""
    breaks = CacheBreak.objects.select_related("session__project").order_by("at", "pk")
    project = query_number(request, "project")
    if project is not None:
        breaks = breaks.filter(session__project=project)
    for row in breaks.iterator(chunk_size=500):
        names = {"session": row.session.public_id, "project": row.session.project.name}
        yield {**names, **_mask_texts(break_json(row))}


def _mask_texts(value: Any) -> Any:
    if isinstance(value, str):
        return spell_invisible(mask(value))
    if isinstance(value, dict):
        return {name: _mask_texts(item) for name, item in value.items()}
    return [_mask_texts(item) for item in value] if isinstance(value, list) else value


def _cell(value: Any) -> Any:
    """Quotes text that a spreadsheet would take for a formula."""
    if isinstance(value, list):
        value = " ".join(map(str, value))
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _download(text: str, kind: str, name: str) -> HttpResponse:
    return HttpResponse(text, content_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})
