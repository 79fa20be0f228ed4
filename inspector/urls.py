from __future__ import annotations

from django.urls import include, path

from inspector.views import home, icon, palette, runs

urlpatterns = [
    path("", home.home, name="home"),
    path("import/", home.import_progress, name="import-progress"),
    path("favicon.ico", icon.icon, name="icon"),
    path("palette/", palette.palette, name="palette"),
    path("runs/", runs.listing, name="run-list"),
    path("runs/indicator/", runs.indicator, name="run-indicator"),
    path("runs/start/", runs.start, name="run-start"),
    path("runs/<int:run_id>/", runs.detail, name="run-detail"),
    path("runs/<int:run_id>/card/", runs.card, name="run-card"),
    path("runs/<int:run_id>/kill/", runs.kill, name="run-kill"),
    path("runs/<int:run_id>/retry/", runs.retry, name="run-retry"),
    path("", include("inspector.health")),
    path("", include("compaction.urls")),
    path("", include("sessions.urls")),
]
