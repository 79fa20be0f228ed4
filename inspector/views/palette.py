"""The command palette: the pages and sessions that a few typed letters could mean."""

from __future__ import annotations

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from sessions.selectors.catalog import find_sessions, latest_sessions

PAGES = (
    ("home", "Home", "latest sessions, import, what needs attention"),
    ("transcript-list", "Sessions", "all sessions, filtered and sorted"),
    ("search", "Search", "words in conversations and tool output"),
    ("run-list", "Runs", "what happens in the background, and what became of it"),
    ("retention", "Retention", "files that the agent deletes soon"),
    ("odd", "What we did not understand", "unknown records and broken lines"),
)
MOST = 8


@require_safe
def palette(request: HtmxRequest) -> HttpResponse:
    query = request.GET.get("q", "").strip().replace("\0", "")[:200]
    now = now_ms()
    context = {
        "query": query,
        "pages": [
            (reverse(name), title, about) for name, title, about in PAGES if query.lower() in f"{title} {about}".lower()
        ],
        "lines": find_sessions(query, MOST, now=now) if query else latest_sessions(MOST, now=now),
    }
    return render_page(request, "palette.html", context, partials=("palette-results",))
