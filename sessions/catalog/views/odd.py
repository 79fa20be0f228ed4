"""Two pages about files: what Lucid did not understand in them, and which the agent will delete."""

from __future__ import annotations

from itertools import groupby

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.paging import page_of
from inspector.web.query import page_number
from sessions.catalog.selectors.facets import project_tree
from sessions.catalog.selectors.odd import broken_kinds, broken_lines, unknown_names
from sessions.catalog.selectors.retention import expiring_sessions, retention_policy, vanished_sessions, with_days_left

PER_PAGE = 50


@require_safe
def odd(request: HtmxRequest) -> HttpResponse:
    problems = broken_lines()
    kinds = broken_kinds()
    page = page_of(page_number(request), size=PER_PAGE, total=sum(lines for _, lines in kinds))
    unknown = unknown_names()
    context = {
        "unknown": [(what, list(names)) for what, names in groupby(unknown, key=lambda name: name.what)],
        "unknown_count": len(unknown),
        "kinds": kinds,
        "problems": problems[page.start : page.stop],
        "page": page,
        "projects": project_tree(),
    }
    return render_page(request, "sessions/catalog/odd.html", context, partials=("broken",))


@require_safe
def retention(request: HtmxRequest) -> HttpResponse:
    now = now_ms()
    policy = retention_policy(settings.CLAUDE_CONFIG_DIR, default=settings.LUCID_RETENTION_DAYS)
    expiring, vanished = expiring_sessions(policy, now=now), vanished_sessions()
    page = page_of(page_number(request), size=PER_PAGE, total=expiring.count())
    context = {
        "policy": policy,
        "page": page,
        "projects": project_tree(),
        "expiring": with_days_left(expiring[page.start : page.stop], policy, now=now),
        "vanished": vanished[:PER_PAGE],
        "vanished_count": vanished.count(),
    }
    return render(request, "sessions/catalog/retention.html", context)
