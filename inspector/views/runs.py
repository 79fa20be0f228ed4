"""The header's mark of what is under way."""

from __future__ import annotations

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from inspector.selectors import active_runs
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page


@require_safe
def indicator(request: HtmxRequest) -> HttpResponse:
    return render_page(request, "_run_indicator.html", {"runs": active_runs(now_ms())})
