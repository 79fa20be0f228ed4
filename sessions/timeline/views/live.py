"""What was appended to a session since its page was rendered: new cards, and calls that got their results."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest
from inspector.web.query import query_number
from sessions.models import Transcript
from sessions.secrets.engine import mask
from sessions.timeline.engine.cards import build_cards
from sessions.timeline.engine.ruler import build_ruler
from sessions.timeline.selectors.window import calls_answered_since, rows_at, window_from
from sessions.timeline.views.session import group_by_turn
from sessions.transcripts.selectors.session import session_head


@never_cache
@require_safe
def transcript_live(request: HtmxRequest, session: str) -> HttpResponse:
    after = query_number(request, "after") or 0
    entries = Transcript.objects.filter(public_id=session).values_list("entries", flat=True).first()
    if entries is not None and entries <= after:
        return HttpResponse(status=204)
    head = session_head(session, now_ms())
    transcript = head.transcript
    everything = request.GET.get("all") == "1"
    window = window_from(transcript, after, everything=everything)
    answered = rows_at(transcript, calls_answered_since(transcript, after))
    context = {
        "head": head,
        "session": transcript,
        "window": window,
        "groups": group_by_turn(
            build_cards(window.rows, window.results, mask=mask, at_end=True, sizes=window.sizes),
            window.turns,
            joins=True,
        ),
        "answered": build_cards(answered.rows, answered.results, mask=mask),
        "ruler": build_ruler(transcript.ruler, transcript.entries, after),
        "everything": everything,
        "more": "&all=1" if everything else "",
    }
    return render(request, "sessions/timeline/live.html", context)
