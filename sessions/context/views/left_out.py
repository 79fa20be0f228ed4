"""What the model did not see at a point, by reason: loaded into the Context page, and a page of its own."""

from __future__ import annotations

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.query import whole_number
from sessions.context.engine.presentation.left_out_groups import group_by_reason
from sessions.context.selectors.contexts import load_left_out
from sessions.context.views.context import base_values, read_viewpoint, redirect_to_subagent
from sessions.linking.selectors import LinkRows
from sessions.timeline.selectors.briefs import briefs_of
from sessions.transcripts.selectors.session import session_head

FEW, MANY = 8, 400
"""Ranges of entries shown for each reason, and for a single reason."""


@require_safe
def context_left_out(request: HtmxRequest, session: str) -> HttpResponse:
    head = session_head(session, now_ms())
    view = read_viewpoint(request, head.transcript)
    if view.transcript.pk != head.transcript.pk:
        return redirect_to_subagent("context-left-out", view)
    links = LinkRows(view.transcript.pk, view.transcript.source_id)
    groups = group_by_reason(entry for entry, _ in load_left_out(view.transcript, view.context(), links))
    reason = request.GET.get("reason", "")
    start = _number(request.GET.get("from", ""))
    chosen = [group.head(MANY, start) for group in groups if group.name == reason]
    listed = chosen or [group.head(FEW) for group in groups]
    values = {
        **base_values(head, view),
        "groups": listed,
        "one_reason": bool(chosen),
        "briefs": briefs_of(
            links, (entry.first for group in listed for cause in group.causes for entry in cause.ranges)
        ),
        "seen": f"&{view.as_context}" if view.as_context else "",
        "count": sum(group.count for group in groups if not group.is_partial),
    }
    alone = "#groups" if reason and request.htmx else ""
    return render_page(request, f"sessions/context/left_out.html{alone}", values, partials=("left-out",))


def _number(text: str) -> int:
    """The range to begin with; the first if the text is no number."""
    return whole_number(text) or 0
