from __future__ import annotations

from django.urls import include, path

from inspector.views import home, icon, palette, runs

urlpatterns = [
    path("", home.home, name="home"),
    path("import/", home.import_progress, name="import-progress"),
    path("favicon.ico", icon.icon, name="icon"),
    path("palette/", palette.palette, name="palette"),
    path("runs/indicator/", runs.indicator, name="run-indicator"),
    path("", include("inspector.health")),
    path("", include("sessions.urls")),
]
