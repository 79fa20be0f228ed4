"""Pins or unpins a message of a session."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from compaction.pins.services import PinError, pin_set
from inspector.web.clock import now_ms
from sessions.transcripts.selectors.session import session_head


@require_POST
def message_pin(request: HttpRequest, session: str) -> HttpResponse:
    head = session_head(session, now_ms())
    kind = request.POST.get("kind", "full")
    try:
        pin_set(
            transcript=head.transcript,
            address=request.POST.get("entry", ""),
            pinned=request.POST.get("state") != "off",
            now_ms=now_ms(),
        )
    except PinError as error:
        return HttpResponse(str(error), status=400, content_type="text/plain; charset=utf-8")
    response = HttpResponseRedirect(f"{reverse('transcript-compact', args=[session])}?kind={kind}#pinned")
    response.status_code = 303
    return response
