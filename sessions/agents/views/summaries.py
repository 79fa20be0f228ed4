"""What each agent is doing, in a few words, and the button that asks a small model."""

from __future__ import annotations

from dataclasses import replace

from django.conf import settings
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from inspector.agents.choosing import MECHANICAL, choice_of
from inspector.runs.models import Run
from inspector.runs.selectors.lists import run_card
from inspector.runs.services import RunError
from inspector.web.addresses import session_root
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.paging import Page, page_of
from inspector.web.query import page_number
from sessions.agents.selectors.activity import estimate_price, find_run, load_activities
from sessions.agents.selectors.tree import Agent, load_agents
from sessions.agents.services import NO_MODEL, agent_summaries_create
from sessions.agents.views.tree import PER_PAGE
from sessions.models import Transcript
from sessions.transcripts.selectors.session import session_head


@require_http_methods(["GET", "HEAD", "POST"])
def agent_summaries(request: HtmxRequest, session: str) -> HttpResponse:
    now = now_ms()
    head = session_head(session, now)
    transcript = head.transcript
    if transcript.parent is not None:
        return HttpResponseRedirect(reverse("agent-summaries", args=[transcript.parent.public_id]))
    agents = load_agents(transcript, now)
    page = page_of(page_number(request), size=PER_PAGE, total=len(agents))
    if request.method == "POST":
        return _start(request, transcript, agents, page)
    choice = choice_of(settings.MODELS)
    forks_at = now if choice.kind == "anthropic" else None
    activities = load_activities(transcript, agents[page.start : page.stop], forks_at=forks_at)
    due = [activity for activity in activities if activity.is_due]
    run = find_run(transcript)
    active = run is not None and run.status in (Run.Status.QUEUED, Run.Status.RUNNING)
    values = {
        "section": "sessions",
        "tab": "agents",
        "head": head,
        "session": transcript,
        "root": session_root(transcript),
        "page": page,
        "activities": [(activity, estimate_price([activity], choice.small)) for activity in activities],
        "due": due,
        "price": estimate_price(due, choice.small),
        "small_price": estimate_price([replace(activity, fork=None) for activity in due], choice.small),
        "choice": choice,
        "askable": choice.kind != MECHANICAL,
        "advice": NO_MODEL,
        "card": run_card(run, now) if run is not None else None,
        "active": active,
    }
    return render_page(request, "sessions/agents/summaries.html", values, partials=("summaries",))


def _start(request: HtmxRequest, session: Transcript, agents: list[Agent], page: Page) -> HttpResponse:
    """For the named agent, or for all agents of the page."""
    agent_key = request.POST.get("agent", "")
    keys = [agent.key for agent in agents[page.start : page.stop] if agent_key in ("", agent.key)]
    try:
        agent_summaries_create(session=session, keys=keys, forks="small" not in request.POST)
    except RunError as error:
        return HttpResponse(f"{error.sentence}\n", status=409, content_type="text/plain; charset=utf-8")
    response = HttpResponseRedirect(f"{request.path}?page={page.number}")
    response.status_code = 303
    return response


def confirmation_of(run: Run) -> str:
    """The page on which a run of this kind is started again, with its price."""
    return run.target_url
