"""The Cache tab of a session: did the prompt cache break, why, and what did it cost?"""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_POST, require_safe

from compaction.cache.engine.causes.cause_names import CauseName
from compaction.cache.engine.costs.cache_summary import cause_title, format_percent
from compaction.cache.engine.requests.calls import LIMITS
from compaction.cache.selectors.tab import CacheTab
from compaction.cache.services.runs import cache_diffs_create
from compaction.cache.views.chart import MOST_FLAGS, chart_of
from compaction.models import CacheBreak
from inspector.web.addresses import session_root
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.paging import page_of
from inspector.web.query import page_number
from inspector.web.svg import token_bar
from sessions.text.engine.words import duration
from sessions.transcripts.selectors.session import SessionHead, session_head

TEMPLATE = "compaction/cache/session.html"
PAGE_SIZE = 20
_LIFETIMES = (CauseName.TTL_5M, CauseName.TTL_1H)


@require_safe
def transcript_cache(request: HtmxRequest, session: str) -> HttpResponse:
    head = session_head(session, now_ms())
    tab = CacheTab(head.transcript, now_ms())
    root = session_root(head.transcript)
    counted = sum(loss.count for loss in tab.losses)
    page = page_of(page_number(request), size=PAGE_SIZE, total=counted)
    page_breaks = list(tab.worst[page.start : page.stop])
    expected = list(tab.breaks(expected=True)[:MOST_FLAGS])
    marked = [*(page_breaks if counted <= PAGE_SIZE else tab.worst[:MOST_FLAGS]), *expected]
    totals = tab.totals
    values = {
        **cache_context(head),
        "view": tab,
        "totals": totals,
        "rate": format_percent(totals["hit_rate"]),
        "bar": _bar(totals),
        "chart": chart_of(tab.series, marked, root),
        "page": page,
        "breaks": [break_view(row, tab.series.indexes) for row in page_breaks],
        "windows": _windows(tab),
        "expected": [break_view(row, tab.series.indexes) for row in expected],
    }
    return render_page(request, TEMPLATE, values, partials=("cache", "breaks"))


@require_POST
def cache_scan_start(request: HtmxRequest, session: str) -> HttpResponse:
    """Start a run that scans the session."""
    head = session_head(session, now_ms())
    cache_diffs_create(session=head.main)
    return HttpResponseRedirect(f"{session_root(head.transcript)}cache/")


def cache_context(head: SessionHead) -> dict[str, Any]:
    root = session_root(head.transcript)
    return {"section": "sessions", "tab": "cache", "head": head, "session": head.transcript, "root": root}


def break_view(row: CacheBreak, indexes: dict[str, int] | None = None) -> dict[str, Any]:
    """A break in a list. Requests have numbers only on pages of their own file."""
    index = None if indexes is None else indexes.get(row.message_id)
    return {
        "row": row,
        "title": cause_title(row.cause),
        "causes": [cause_view(cause) for cause in row.causes],
        "number": None if index is None else index + 1,
        "root": session_root(row.transcript),
    }


def cause_view(cause: dict[str, Any]) -> dict[str, Any]:
    """A cause with its title, and with each record that proves it only once."""
    positions = list(dict.fromkeys(cause.get("positions", ())))
    return {**cause, "title": cause_title(str(cause.get("name", ""))), "positions": positions}


def _windows(tab: CacheTab) -> list[dict[str, Any]]:
    """Moments when the cache was cold, each with the reason: the pause, or what broke it."""
    windows = tab.advice.get("pruning", {}).get("windows", [])
    causes = dict(tab.breaks(expected=False).values_list("message_id", "cause")) if windows else {}
    indexes = tab.series.indexes
    return [
        {
            **window,
            "why": _describe_cold(window.get("gap"), causes.get(window["message_id"], "")),
            "number": indexes[window["message_id"]] + 1 if window["message_id"] in indexes else None,
        }
        for window in windows
    ]


def _describe_cold(gap: int | None, cause: str) -> str:
    paused = gap is not None and gap > LIMITS.five_minutes
    if cause and not (paused and cause in _LIFETIMES):
        return cause_title(cause)
    return f"{duration(gap)} without a request" if paused else "the cache was cold"


def _bar(totals: dict[str, Any]) -> Any:
    parts = [("read", "read", totals["read"]), ("written", "written", totals["written"])]
    return token_bar([*parts, ("fresh", "fresh", totals["fresh"])])
