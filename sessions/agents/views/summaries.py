"""What each agent is doing, in a few words: shown in the Agents page and alone, and asked of a small model."""

from __future__ import annotations

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
from sessions.agents.selectors.activity import (
    doing_of,
    price_of,
    run_of,
)
from sessions.agents.selectors.tree import Agent, agents_of
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
    agents = agents_of(transcript, now)
    page = page_of(page_number(request), size=PER_PAGE, total=len(agents))
    if request.method == "POST":
        return _start(request, transcript, agents, page)
    doings = doing_of(transcript, agents[page.start : page.stop])
    choice = choice_of(settings.MODELS)
    due = [one for one in doings if one.due]
    run = run_of(transcript)
    active = run is not None and run.status in (Run.Status.QUEUED, Run.Status.RUNNING)
    values = {
        "section": "sessions",
        "tab": "agents",
        "head": head,
        "session": transcript,
        "root": session_root(transcript),
        "page": page,
        "doings": [(one, price_of([one], choice.small)) for one in doings],
        "due": due,
        "price": price_of(due, choice.small),
        "choice": choice,
        "askable": choice.kind != MECHANICAL,
        "advice": NO_MODEL,
        "card": run_card(run, now) if run is not None else None,
        "active": active,
    }
    return render_page(request, "transcripts/summaries.html", values, partials=("summaries",))


def _start(request: HtmxRequest, session: Transcript, agents: list[Agent], page: Page) -> HttpResponse:
    """Of the agent that was named, or of all on the page."""
    wanted = request.POST.get("agent", "")
    keys = [one.key for one in agents[page.start : page.stop] if wanted in ("", one.key)]
    try:
        agent_summaries_create(session=session, keys=keys)
    except RunError as error:
        return HttpResponse(f"{error.sentence}\n", status=409, content_type="text/plain; charset=utf-8")
    response = HttpResponseRedirect(f"{request.path}?page={page.number}")
    response.status_code = 303
    return response


def confirmation_of(run: Run) -> str:
    """Where a run of this kind is started again: with its price beside the button."""
    return run.target_url
