"""The compactions of a session: what the client recorded, what was made here, and how one follows on the other."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from compaction.selectors import compactions_of
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest
from sessions.selectors.session import session_head


@require_safe
def compaction_list(request: HtmxRequest, session: str) -> HttpResponse:
    head = session_head(session, now_ms())
    context = {
        "section": "sessions",
        "tab": "compactions",
        "head": head,
        "session": head.transcript,
        "made": compactions_of(head.transcript),
    }
    return render(request, "compaction/list.html", context)
