"""The first page: the latest sessions, the state of the import, what needs attention, and totals."""

from __future__ import annotations

from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from compaction.cache.selectors.recent_losses import recent_losses
from inspector.runs.selectors.lists import recent_runs
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.svg import Series, TokenBar, series, token_bar
from sessions.catalog.selectors.attention import Totals, daily_sessions, load_attention, load_totals
from sessions.catalog.selectors.facets import project_tree
from sessions.catalog.selectors.retention import retention_policy
from sessions.catalog.selectors.sessions import latest_sessions
from sessions.imports.selectors import import_state

LATEST = 12
DAYS = 30


@require_safe
def home(request: HtmxRequest) -> HttpResponse:
    now = now_ms()
    sums = load_totals()
    policy = retention_policy(settings.CLAUDE_CONFIG_DIR, default=settings.LUCID_RETENTION_DAYS)
    context = {
        "importing": import_state(now),
        "cards": recent_runs(now),
        "lines": latest_sessions(LATEST, now=now),
        "lost": recent_losses(now),
        "attention": load_attention(policy, now=now),
        "totals": sums,
        "token_bar": spent(sums),
        "activity": activity(now),
        "projects": project_tree(),
    }
    return render_page(request, "inspector/home/home.html", context, partials=("overview",))


@require_safe
def import_progress(request: HtmxRequest) -> HttpResponse:
    """The import card alone, which the home page requests every second while an import runs."""
    importing = import_state(now_ms())
    response = render_page(request, "inspector/home/home.html#import-state", {"importing": importing})
    if importing is None or not importing.active:
        response["HX-Trigger"] = "imported"
    return response


def spent(sums: Totals) -> TokenBar:
    return token_bar(
        [
            ("read", "read from cache", sums.cache_read),
            ("written", "written to cache", sums.cache_written),
            ("fresh", "fresh input", sums.fresh),
            ("output", "output", sums.output),
        ]
    )


def activity(now: int) -> Series:
    sessions = reverse("transcript-list")
    return series(
        [
            (f"{day:%a} {day.day} {day:%b}", count, f"{sessions}?{urlencode({'since': day, 'until': day})}")
            for day, count in daily_sessions(DAYS, now=now)
        ],
        width=640,
        height=56,
    )
