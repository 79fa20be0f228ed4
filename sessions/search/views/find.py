"""Search inside one session. The browser's own search sees only the loaded window."""

from __future__ import annotations

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from sessions.search.selectors.indexed_search import search_index
from sessions.transcripts.selectors.session import session_head

HITS = 50


@require_safe
def transcript_find(request: HtmxRequest, session: str) -> HttpResponse:
    query = request.GET.get("q", "")[:1000]
    head = session_head(session, now_ms())
    results = search_index(query, session=head.transcript.pk, limit=HITS) if query.strip() else None
    context = {"section": "sessions", "tab": "timeline", "head": head, "session": head.transcript, "q": query}
    return render_page(request, "sessions/search/find.html", {**context, "results": results}, partials=("results",))
