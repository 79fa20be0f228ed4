"""What changed since the previous request: loaded into the Context page, and a page of its own."""

from __future__ import annotations

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from sessions.context.engine.changes import compare_contexts
from sessions.context.engine.presentation.changes import Compared, batch_changes
from sessions.context.engine.presentation.prompt_difference import difference_of
from sessions.context.views.context import base_values, read_viewpoint, redirect_to_subagent
from sessions.secrets.engine import mask
from sessions.transcripts.selectors.session import session_head


@require_safe
def context_changes(request: HtmxRequest, session: str) -> HttpResponse:
    head = session_head(session, now_ms())
    view = read_viewpoint(request, head.transcript)
    if view.transcript.pk != head.transcript.pk:
        return redirect_to_subagent("context-changes", view)
    values = base_values(head, view)
    before = view.previous_context()
    if before is not None:
        sent = view.context()
        changes = compare_contexts(before, sent)
        alike = before.exactness == sent.exactness
        compared = Compared(before, sent, view.previous_weights(before), view.weights(sent))
        values |= {"changes": changes, "batches": batch_changes(changes, compared, mask), "alike": alike}
        values |= {"difference": difference_of(changes, compared), "previous": view.previous_name}
    return render_page(request, "sessions/context/changes.html", values, partials=("changes",))
