"""The Cache tab of a session: did the prompt cache break, why, and what did it cost?"""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_POST, require_safe

from compaction.cache.engine.calls import LIMITS
from compaction.cache.engine.names import Name
from compaction.cache.engine.reporting import percent, title_of
from compaction.cache.selectors.tab import CacheTab
from compaction.cache.services.runs import cache_diffs_create
from compaction.cache.views.chart import MARKS, chart_of
from compaction.models import CacheBreak
from inspector.web.addresses import session_root
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.paging import page_of
from inspector.web.query import page_number
from inspector.web.svg import token_bar
from sessions.text.engine.words import duration
from sessions.transcripts.selectors.session import SessionHead, session_head

TEMPLATE = "cache/session.html"
SIZE = 20
_LIFETIMES = (Name.TTL_5M, Name.TTL_1H)


@require_safe
def transcript_cache(request: HtmxRequest, session: str) -> HttpResponse:
    head = session_head(session, now_ms())
    tab = CacheTab(head.transcript, now_ms())
    root = session_root(head.transcript)
    counted = sum(loss.count for loss in tab.losses)
    page = page_of(page_number(request), size=SIZE, total=counted)
    listed = list(tab.worst[page.start : page.stop])
    expected = list(tab.breaks(expected=True)[:MARKS])
    marked = [*(listed if counted <= SIZE else tab.worst[:MARKS]), *expected]
    totals = tab.totals
    values = {
        **cache_frame(head),
        "view": tab,
        "totals": totals,
        "rate": percent(totals["hit_rate"]),
        "bar": _bar(totals),
        "chart": chart_of(tab.series, marked, root),
        "page": page,
        "breaks": [shown_break(one, tab.series.places) for one in listed],
        "windows": _windows(tab),
        "expected": [shown_break(one, tab.series.places) for one in expected],
    }
    return render_page(request, TEMPLATE, values, partials=("cache", "breaks"))


@require_POST
def cache_look(request: HtmxRequest, session: str) -> HttpResponse:
    """Start a run that looks into it."""
    head = session_head(session, now_ms())
    cache_diffs_create(session=head.main)
    return HttpResponseRedirect(f"{session_root(head.transcript)}cache/")


def cache_frame(head: SessionHead) -> dict[str, Any]:
    root = session_root(head.transcript)
    return {"section": "sessions", "tab": "cache", "head": head, "session": head.transcript, "root": root}


def shown_break(one: CacheBreak, places: dict[str, int] | None = None) -> dict[str, Any]:
    """A break in a list. Requests have numbers only on the pages of their own file."""
    place = None if places is None else places.get(one.message_id)
    return {
        "row": one,
        "title": title_of(one.cause),
        "causes": [told(cause) for cause in one.causes],
        "number": None if place is None else place + 1,
        "root": session_root(one.transcript),
    }


def told(cause: dict[str, Any]) -> dict[str, Any]:
    """A cause with its title, and each record that proves it once."""
    positions = list(dict.fromkeys(cause.get("positions", ())))
    return {**cause, "title": title_of(str(cause.get("name", ""))), "positions": positions}


def _windows(tab: CacheTab) -> list[dict[str, Any]]:
    """Moments when the cache was cold, each with why: the pause, or what broke it."""
    found = tab.advice.get("pruning", {}).get("windows", [])
    causes = dict(tab.breaks(expected=False).values_list("message_id", "cause")) if found else {}
    places = tab.series.places
    return [
        {
            **window,
            "why": _cold(window.get("gap"), causes.get(window["message_id"], "")),
            "number": places[window["message_id"]] + 1 if window["message_id"] in places else None,
        }
        for window in found
    ]


def _cold(gap: int | None, cause: str) -> str:
    paused = gap is not None and gap > LIMITS.five_minutes
    if cause and not (paused and cause in _LIFETIMES):
        return title_of(cause)
    return f"{duration(gap)} without a request" if paused else "the cache was cold"


def _bar(totals: dict[str, Any]) -> Any:
    parts = [("read", "read", totals["read"]), ("written", "written", totals["written"])]
    return token_bar([*parts, ("fresh", "fresh", totals["fresh"])])
