"""Compares any two requests: parameters, tools, system prompt and messages, word by word."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.utils.functional import SimpleLazyObject
from django.views.decorators.http import require_safe

from compaction.compare.engine import Layout
from compaction.compare.engine.presentation import ComparisonView
from compaction.compare.engine.requests import compare_setups, judge_requests, view_parts
from compaction.compare.selectors.comparisons import compare_ends
from compaction.compare.selectors.points import ComparedContext, Points
from compaction.compare.selectors.request_pairs import latest_requests, request_end, request_of
from compaction.compare.views.comparison import ComparisonState, chips_of, ends_of, part_of
from inspector.web.addresses import session_root
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.query import query_number
from inspector.web.svg import token_bar
from sessions.models import Request
from sessions.secrets.engine import mask
from sessions.transcripts.selectors.session import SessionHead, session_head

TEMPLATE = "compaction/compare/requests.html"


@require_safe
def request_compare(request: HtmxRequest, session: str) -> HttpResponse:
    head = session_head(session, now_ms())
    names = [request.GET.get(name, "").strip() for name in ("a", "b")]
    values = {**_frame(head), "names": names}
    if not all(names):
        offered = latest_requests(head.transcript)
        return render_page(request, TEMPLATE, {**values, "offered": offered})
    points = Points(head.transcript)
    before, after = (request_end(points, name) for name in names)
    comparison = compare_ends(points, before, after)
    state = ComparisonState.of(request, a=names[0], b=names[1])
    view = ComparisonView(comparison, before.side, after.side, mask, state.opened)
    layout = Layout(comparison, state.chosen)
    values |= {**ends_of(before, after), "state": state, "here": state.query}
    if part := part_of(request, view, layout, values):
        name, more = part
        return render_page(request, name, {**values, **more})
    start = query_number(request, "from")
    return render_page(
        request,
        TEMPLATE,
        {
            **values,
            **compare_prompts(before, after, state.opened),
            "comparison": comparison,
            "items": view.rows(layout.page(view.find(state.opened.partition(".")[0]) if start is None else start)),
            "chips": chips_of(comparison, state),
            "everything": state.query_with(chosen=frozenset()),
            "beside": state.query_with(inline=False),
            "inline": state.query_with(inline=True),
        },
        partials=("comparison",),
    )


def compare_prompts(before: ComparedContext, after: ComparedContext, opened: str) -> dict[str, Any]:
    """How the two differ besides their messages, the verdict, and their counted tokens."""
    rows = [request_of(end) for end in (before, after)]
    limit = max(_prompt(row) for row in rows if row is not None) if any(rows) else 0
    return {
        "verdict": SimpleLazyObject(lambda: judge_requests(before.loaded_context, after.loaded_context)),
        "parts": view_parts(compare_setups(before.loaded_context, after.loaded_context), mask, opened),
        "sides": [(end, row, _bar(row, limit)) for end, row in zip((before, after), rows, strict=True)],
    }


def _prompt(row: Request) -> int:
    return row.input + row.cache_read + row.cache_write_5m + row.cache_write_1h


def _bar(row: Request | None, limit: int) -> Any:
    if row is None:
        return None
    written = row.cache_write_5m + row.cache_write_1h
    parts = [("read", "read", row.cache_read), ("written", "written", written), ("fresh", "fresh", row.input)]
    return token_bar(parts, limit=limit)


def _frame(head: SessionHead) -> dict[str, Any]:
    root = session_root(head.transcript)
    return {"section": "sessions", "tab": "cache", "head": head, "session": head.transcript, "root": root}
