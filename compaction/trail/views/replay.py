"""Auto, request by request: what it would have done before each request of a session."""

from __future__ import annotations

from itertools import islice
from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from compaction.kinds.engine import KindError
from compaction.trail.engine.auto_replay import ReplayStep, remarks_of
from compaction.trail.selectors.replays import replay_auto
from inspector.web.addresses import session_root
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from sessions.models import Request
from sessions.secrets.engine import mask
from sessions.transcripts.selectors.session import session_head

MOST = 300
"""Requests that the page replays; the command takes all."""
LONGEST = 20


@require_safe
def compaction_replay(request: HtmxRequest, session: str) -> HttpResponse:
    head = session_head(session, now_ms())
    percent = request.GET.get("percent", "").strip()[:LONGEST]
    settings = {"pipeline.auto.percent": percent} if percent else {}
    steps: list[ReplayStep] = []
    problem = ""
    try:
        steps = list(islice(replay_auto(head.transcript, settings), MOST))
    except KindError as error:
        problem = str(error)
    values = {
        "section": "sessions",
        "tab": "compactions",
        "head": head,
        "session": head.transcript,
        "root": session_root(head.transcript),
        "percent": percent,
        "problem": problem,
        "steps": [_row(step) for step in steps if not step.is_quiet],
        "quiet": sum(step.is_quiet for step in steps),
        "replayed": len(steps),
        "requests": Request.objects.filter(transcript=head.transcript).count(),
    }
    return render_page(request, "compaction/trail/replay.html", values)


def _row(step: ReplayStep) -> dict[str, Any]:
    acts = [(mechanism, mask(why)) for mechanism, why in step.acts]
    return {"step": step, "remarks": remarks_of(step), "acts": acts}
