"""How much of its parent's prompt an agent shared: of one agent, or of many, a page at a time."""

from __future__ import annotations

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from inspector.web.addresses import session_root
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.paging import page_of
from inspector.web.query import page_number
from sessions.agents.selectors.sharing import sharing_of
from sessions.agents.selectors.tree import agents_of
from sessions.transcripts.selectors.session import session_head

PER_PAGE = 25


@require_safe
def agent_prefixes(request: HtmxRequest, session: str) -> HttpResponse:
    head = session_head(session, now_ms())
    if head.transcript.parent is not None:
        return HttpResponseRedirect(reverse("agent-prefixes", args=[head.transcript.parent.public_id]))
    agents = agents_of(head.transcript)
    wanted = request.GET.get("agent", "")
    if wanted:
        agents = [one for one in agents if one.key == wanted]
        if not agents:
            raise Http404("This session has no such agent.")
    page = page_of(page_number(request), size=PER_PAGE, total=len(agents))
    shared = sharing_of(agents[page.start : page.stop])
    values = {
        "section": "sessions",
        "tab": "agents",
        "head": head,
        "session": head.transcript,
        "root": session_root(head.transcript),
        "shared": shared,
        "one": shared[0] if shared else None,
        "page": page,
        "wanted": wanted,
    }
    alone = "#one" if wanted and request.htmx else ""
    return render_page(request, f"transcripts/prefixes.html{alone}", values, partials=("prefixes",))
