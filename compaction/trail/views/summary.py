"""A summary by section, each sentence with the messages that it comes from."""

from __future__ import annotations

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from compaction.trail.selectors.summaries import trace_summary
from inspector.web.addresses import session_root
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from sessions.transcripts.selectors.session import session_head


@require_safe
def compaction_summary(request: HtmxRequest, session: str, name: str) -> HttpResponse:
    head = session_head(session, now_ms())
    traced = trace_summary(head.transcript, name)
    if traced.transcript.pk != head.transcript.pk:
        return HttpResponseRedirect(reverse("compaction-summary", args=[traced.transcript.public_id, name]))
    values = {
        "section": "sessions",
        "tab": "compactions",
        "head": head,
        "session": head.transcript,
        "root": session_root(head.transcript),
        "name": name,
        "traced": traced,
        "summary": traced.summary,
    }
    return render_page(request, "compaction/trail/summary.html", values, partials=("summary",))
