"""The page of all settings. It only shows them: they come from the environment, which is read at the start."""

from __future__ import annotations

from django.db import connection
from django.http import HttpResponse
from django.views.decorators.http import require_safe

from inspector import __version__
from inspector.selectors.settings import settings_shown
from inspector.web.htmx import HtmxRequest, render_page
from sessions.selectors.facets import project_tree


@require_safe
def settings_list(request: HtmxRequest) -> HttpResponse:
    context = {
        "section": "settings",
        "settings": settings_shown(),
        "version": __version__,
        "database": connection.display_name,
        "projects": project_tree(),
    }
    return render_page(request, "settings.html", context)
