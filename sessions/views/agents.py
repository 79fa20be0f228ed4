"""The sub-agents of a session, and the way from a call to the agent that it started."""

from __future__ import annotations

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest
from sessions.models import Transcript
from sessions.selectors.agents import agents_of, inline_agents
from sessions.selectors.session import session_head, transcript_get


@require_safe
def transcript_agents(request: HtmxRequest, session: str) -> HttpResponse:
    head = session_head(session, now_ms())
    if head.transcript.parent is not None:
        return HttpResponseRedirect(reverse("transcript-agents", args=[head.transcript.parent.public_id]))
    context = {
        "section": "sessions",
        "tab": "agents",
        "head": head,
        "session": head.transcript,
        "agents": agents_of(head.transcript),
        "inline": inline_agents(head.transcript),
    }
    return render(request, "transcripts/agents.html", context)


@require_safe
def agent_detail(request: HtmxRequest, session: str, agent: str) -> HttpResponse:
    """By the id that the records know; the agent's own page is a timeline like any other."""
    transcript = transcript_get(session)
    main = transcript.parent_id or transcript.pk
    found = Transcript.objects.filter(parent_id=main, agent_id=agent).only("public_id").first()
    if found is None:
        raise Http404(f"The transcript of agent {agent} has not been imported; its file may be gone.")
    return HttpResponseRedirect(reverse("transcript-detail", args=[found.public_id]))
