"""The command palette: pages and sessions that match a few typed letters."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from inspector.docs.selectors import has_docs
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from sessions.catalog.selectors.sessions import find_sessions, latest_sessions

PAGES = (
    ("home", "Home", "latest sessions, import, what needs attention"),
    ("transcript-list", "Sessions", "all sessions, filtered and sorted"),
    ("search", "Search", "words in conversations and tool output"),
    ("memory-list", "Memory", "what the agent remembers, of all projects"),
    ("memory-search", "Search memory", "words in all memory of all projects"),
    ("cache-report", "Cache", "where the prompt cache broke, why, and what it cost"),
    ("dream-list", "Dreams", "memory put in order: when it is due, and what came of it"),
    ("capture-list", "Captures", "requests as they went over the wire, and how to record them"),
    ("own-forks", "Lucid's own forks", "whether they shared the prompt cache of their session"),
    ("run-list", "Runs", "what happens in the background, and what became of it"),
    ("retention", "Retention", "files that the agent deletes soon"),
    ("settings", "Settings", "what is set, to what, and what it means"),
    ("docs-list", "Docs", "what the words on the pages mean, and how things are worked out"),
    ("odd", "What we did not understand", "unknown records and broken lines"),
)
ACTIONS = (
    ("transcript-compact", "Compact this session", "what each kind would leave of it"),
    ("transcript-context", "What the model was sent", "the context of this session"),
    ("transcript-cache", "Why the cache broke", "the prompt cache of this session"),
    ("request-compare", "Compare two requests", "of this session, word by word"),
    ("transcript-detail", "Timeline", "of this session"),
)
MOST = 8


@require_safe
def palette(request: HtmxRequest) -> HttpResponse:
    query = request.GET.get("q", "").strip().replace("\0", "")[:200]
    now = now_ms()
    session = _session_looked_at(request)
    context = {
        "query": query,
        "actions": _find_matches(query, ACTIONS, session) if session else [],
        "pages": _find_matches(query, PAGES if has_docs() else tuple(page for page in PAGES if page[0] != "docs-list")),
        "lines": find_sessions(query, MOST, now=now) if query else latest_sessions(MOST, now=now),
    }
    return render_page(request, "inspector/home/palette.html", context, partials=("palette-results",))


def _find_matches(query: str, offered: tuple[tuple[str, str, str], ...], *arguments: str) -> list[tuple[str, str, str]]:
    return [
        (reverse(name, args=arguments), title, about)
        for name, title, about in offered
        if query.lower() in f"{title} {about}".lower()
    ]


def _session_looked_at(request: HtmxRequest) -> str:
    """The session on whose page the palette was opened."""
    parts = urlsplit(request.htmx.current_url or "").path.split("/") if request.htmx else []
    return unquote(parts[2]) if len(parts) > 3 and parts[1] == "sessions" else ""
