"""The page of all settings. It only shows them: they come from the environment, which is read at the start."""

from __future__ import annotations

from django.conf import settings
from django.db import connection
from django.http import HttpResponse
from django.views.decorators.http import require_safe

from inspector import __version__
from inspector.backup.selectors import UnreadableNoteError, last_backup
from inspector.settings_page.selectors import list_settings
from inspector.web.htmx import HtmxRequest, render_page
from sessions.catalog.selectors.facets import project_tree


@require_safe
def settings_list(request: HtmxRequest) -> HttpResponse:
    context = {
        "section": "settings",
        "settings": list_settings(),
        "version": __version__,
        "database": connection.display_name,
        "projects": project_tree(),
        **_backup(),
    }
    return render_page(request, "inspector/settings_page/settings.html", context)


def _backup() -> dict[str, object]:
    try:
        last = last_backup(settings.LUCID_HOME)
    except UnreadableNoteError:
        return {"backup_unknown": True}
    return {"backup": last}
