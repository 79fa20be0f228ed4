"""What the model did not see at a point, by reason: loaded into the Context page, and a page of its own."""

from __future__ import annotations

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from sessions.engine.context.groups import grouped
from sessions.selectors.context import left_out_of
from sessions.selectors.session import session_head
from sessions.views.context import asked, frame, moved

FEW, MANY = 8, 400
"""Ranges of entries, of every reason and of the one that was asked for."""


@require_safe
def context_left_out(request: HtmxRequest, session: str) -> HttpResponse:
    head = session_head(session, now_ms())
    view = asked(request, head.transcript)
    if view.transcript.pk != head.transcript.pk:
        return moved("context-left-out", view)
    groups = grouped(one for one, _ in left_out_of(view.transcript, view.context()))
    reason = request.GET.get("reason", "")
    shown = [group.head(MANY if reason == group.name else FEW) for group in groups]
    values = {
        **frame(head, view),
        "groups": [group for group in shown if group.name == reason] or shown,
        "seen": f"&{view.as_context}" if view.as_context else "",
        "count": sum(group.count for group in groups if not group.partly),
    }
    alone = "#groups" if reason and request.htmx else ""
    return render_page(request, f"transcripts/left_out.html{alone}", values, partials=("left-out",))
