"""The sub-agents of a session, and the redirect from an agent id to its timeline."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from typing import Any
from urllib.parse import quote, urlencode

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from inspector.web.addresses import session_root
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.paging import page_of
from inspector.web.query import query_number
from inspector.web.svg import TokenBar, token_bar
from sessions.agents.selectors.tree import Agent, AgentHistory, Spend
from sessions.models import Transcript
from sessions.timeline.selectors.linked_files import agent_transcript
from sessions.transcripts.selectors.session import session_head, transcript_get

PER_PAGE = 100
ORPHANS = 200
ROOMY = 30
"""With more agents, each is one line until it is opened."""


@require_safe
def transcript_agents(request: HtmxRequest, session: str) -> HttpResponse:
    now = now_ms()
    head = session_head(session, now)
    transcript = head.transcript
    if transcript.parent is not None:
        return _at_parent(transcript.parent, transcript.agent_id)
    history = AgentHistory(transcript)
    agents = history.agents(now)
    current = request.GET.get("agent", "")
    place = next((index for index, agent in enumerate(agents) if agent.key == current), 0)
    page = page_of(query_number(request, "page") or 1 + place // PER_PAGE, size=PER_PAGE, total=len(agents))
    total = reduce(Spend.add, (agent.spend for agent in agents), Spend())
    most = max((agent.spend.tokens for agent in agents), default=0)
    values = {
        "section": "sessions",
        "tab": "agents",
        "head": head,
        "session": transcript,
        "root": session_root(transcript),
        "agents": agents,
        "branches": _branches(agents[page.start : page.stop], most),
        "page": page,
        "current": current,
        "roomy": len(agents) <= ROOMY,
        "total": total,
        "total_bar": _bar(total, 0),
        "states": Counter(agent.outcome.state.value for agent in agents).most_common(),
        "orphans": history.orphans()[:ORPHANS],
        "compactions": sum(agent.compactions for agent in agents),
        "errors": sum(agent.errors for agent in agents),
        "damage": list(history.family.damage.items()),
    }
    return render_page(request, "sessions/agents/agents.html", values, partials=("agents",))


def _at_parent(parent: Transcript, agent: str) -> HttpResponseRedirect:
    """An agent's own tab is its session's, with the agent marked."""
    address = reverse("transcript-agents", args=[parent.public_id])
    return HttpResponseRedirect(f"{address}?{urlencode({'agent': agent})}#agent-{quote(agent)}")


def _branches(agents: list[Agent], most: int) -> list[dict[str, Any]]:
    """The agents of this page as nested lists, each below its parent if that is on the page."""
    branches: dict[str, dict[str, Any]] = {
        agent.key: {"agent": agent, "bar": _bar(agent.spend, most), "children": []} for agent in agents
    }
    below = {child.key: agent.key for agent in agents for child in agent.children}
    for key, branch in branches.items():
        if below.get(key) in branches:
            branches[below[key]]["children"].append(branch)
    return [branch for key, branch in branches.items() if below.get(key) not in branches]


def _bar(spend: Spend, most: int) -> TokenBar:
    parts = [
        ("read", "cache read", spend.cache_read),
        ("written", "cache write", spend.cache_write),
        ("fresh", "fresh", spend.input),
        ("output", "output", spend.output),
    ]
    return token_bar(parts, limit=most)


@require_safe
def agent_detail(request: HtmxRequest, session: str, agent: str) -> HttpResponse:
    """Redirects from the id in the records to the agent's timeline."""
    agent_page = agent_transcript(transcript_get(session), agent)
    if agent_page is None:
        raise Http404(f"The transcript of agent {agent} has not been imported; its file may be gone.")
    return HttpResponseRedirect(reverse("transcript-detail", args=[agent_page.public_id]))
