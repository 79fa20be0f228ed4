"""A summary by its sections, each sentence with the messages that it comes from."""

from __future__ import annotations

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from compaction.trail.selectors.summaries import summary_told
from inspector.web.addresses import session_root
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from sessions.transcripts.selectors.session import session_head


@require_safe
def compaction_summary(request: HtmxRequest, session: str, name: str) -> HttpResponse:
    head = session_head(session, now_ms())
    told = summary_told(head.transcript, name)
    if told.transcript.pk != head.transcript.pk:
        return HttpResponseRedirect(reverse("compaction-summary", args=[told.transcript.public_id, name]))
    values = {
        "section": "sessions",
        "tab": "compactions",
        "head": head,
        "session": head.transcript,
        "root": session_root(head.transcript),
        "name": name,
        "told": told,
        "summary": told.summary,
    }
    return render_page(request, "compaction/summary.html", values, partials=("summary",))
