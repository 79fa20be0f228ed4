from __future__ import annotations

from django.urls import include, path

import inspector.web.paths  # noqa: F401 - knows how `any` is written in an address
from inspector.docs import views as docs
from inspector.home import icon, palette
from inspector.home import views as home
from inspector.run_pages import views as runs
from inspector.settings_page import views as settings_page

handler400 = "inspector.home.refusals.bad_request"
handler403 = "inspector.home.refusals.forbidden"
handler404 = "inspector.home.refusals.not_found"

urlpatterns = [
    path("", home.home, name="home"),
    path("import/", home.import_progress, name="import-progress"),
    path("favicon.ico", icon.icon, name="icon"),
    path("palette/", palette.palette, name="palette"),
    path("docs/", docs.docs_list, name="docs-list"),
    path("docs/screenshots/<str:name>", docs.docs_screenshot, name="docs-screenshot"),
    path("docs/<path:name>/", docs.docs_page, name="docs-page"),
    path("runs/", runs.listing, name="run-list"),
    path("runs/indicator/", runs.indicator, name="run-indicator"),
    path("runs/start/", runs.start, name="run-start"),
    path("runs/<int:run_id>/", runs.detail, name="run-detail"),
    path("runs/<int:run_id>/card/", runs.card, name="run-card"),
    path("runs/<int:run_id>/kill/", runs.kill, name="run-kill"),
    path("runs/<int:run_id>/retry/", runs.retry, name="run-retry"),
    path("settings/", settings_page.settings_list, name="settings"),
    path("", include("inspector.health.views")),
    path("", include("compaction.urls")),
    path("", include("memory.urls")),
    path("", include("sessions.urls")),
]
