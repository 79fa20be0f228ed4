"""How much of its parent's prompt an agent shared, for one agent or a page of agents."""

from __future__ import annotations

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from inspector.web.addresses import session_root
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.paging import page_of
from inspector.web.query import page_number
from sessions.agents.selectors.sharing import load_prefixes
from sessions.agents.selectors.tree import load_agents
from sessions.transcripts.selectors.session import session_head

PER_PAGE = 25


@require_safe
def agent_prefixes(request: HtmxRequest, session: str) -> HttpResponse:
    head = session_head(session, now_ms())
    if head.transcript.parent is not None:
        return HttpResponseRedirect(reverse("agent-prefixes", args=[head.transcript.parent.public_id]))
    agents = load_agents(head.transcript)
    agent_key = request.GET.get("agent", "")
    if agent_key:
        agents = [agent for agent in agents if agent.key == agent_key]
        if not agents:
            raise Http404("This session has no such agent.")
    page = page_of(page_number(request), size=PER_PAGE, total=len(agents))
    prefixes = load_prefixes(agents[page.start : page.stop])
    values = {
        "section": "sessions",
        "tab": "agents",
        "head": head,
        "session": head.transcript,
        "root": session_root(head.transcript),
        "prefixes": prefixes,
        "prefix": prefixes[0] if prefixes else None,
        "page": page,
        "wanted": agent_key,
    }
    partial = "#prefix_card" if agent_key and request.htmx else ""
    return render_page(request, f"sessions/agents/prefixes.html{partial}", values, partials=("prefixes",))
