from __future__ import annotations

from django.urls import include, path

import inspector.web.paths  # noqa: F401 - knows how `any` is written in an address
from inspector.views import (
    agent_summaries,
    cache,
    cache_break,
    cache_downloads,
    cache_report,
    captures,
    compacting,
    docs,
    dreams,
    exports,
    home,
    icon,
    notes,
    own_forks,
    palette,
    recalling,
    runs,
)
from inspector.views import settings as settings_page

handler400 = "inspector.views.refusals.bad_request"
handler403 = "inspector.views.refusals.forbidden"
handler404 = "inspector.views.refusals.not_found"

urlpatterns = [
    path("", home.home, name="home"),
    path("import/", home.import_progress, name="import-progress"),
    path("favicon.ico", icon.icon, name="icon"),
    path("palette/", palette.palette, name="palette"),
    path("cache/own/", own_forks.own_forks, name="own-forks"),
    path("cache/own/<int:capture_id>/", own_forks.own_fork, name="own-fork"),
    path("captures/", captures.capture_list, name="capture-list"),
    path("captures/<int:capture_id>/", captures.capture_detail, name="capture-detail"),
    path("captures/<int:capture_id>/raw/", captures.capture_raw, name="capture-raw"),
    path("docs/", docs.docs_list, name="docs-list"),
    path("docs/screenshots/<str:name>", docs.docs_screenshot, name="docs-screenshot"),
    path("docs/<path:name>/", docs.docs_page, name="docs-page"),
    path("dreams/", dreams.dream_list, name="dream-list"),
    path("dreams/<int:directory_id>/", dreams.dream_start, name="dream-start"),
    path("cache/", cache_report.cache_report, name="cache-report"),
    path("cache/breaks.csv", cache_downloads.breaks_csv, name="cache-breaks-csv"),
    path("cache/breaks.json", cache_downloads.breaks_json, name="cache-breaks-json"),
    path("runs/", runs.listing, name="run-list"),
    path("runs/indicator/", runs.indicator, name="run-indicator"),
    path("runs/start/", runs.start, name="run-start"),
    path("runs/<int:run_id>/", runs.detail, name="run-detail"),
    path("runs/<int:run_id>/card/", runs.card, name="run-card"),
    path("runs/<int:run_id>/kill/", runs.kill, name="run-kill"),
    path("runs/<int:run_id>/retry/", runs.retry, name="run-retry"),
    path("sessions/<str:session>/agents/summaries/", agent_summaries.agent_summaries, name="agent-summaries"),
    path("memory/<int:number>/recall/", recalling.memory_recall, name="memory-recall"),
    path("memory/<int:number>/recall/evaluation/", recalling.recall_evaluation, name="memory-recall-evaluation"),
    path("sessions/<str:session>/cache/", cache.transcript_cache, name="transcript-cache"),
    path("sessions/<str:session>/cache/look/", cache.cache_look, name="cache-look"),
    path("sessions/<str:session>/cache/<any:message_id>/", cache_break.cache_break, name="cache-break"),
    path("sessions/<str:session>/notes/", notes.transcript_notes, name="transcript-notes"),
    path("sessions/<str:session>/compact/", compacting.transcript_compact, name="transcript-compact"),
    path(
        "sessions/<str:session>/compactions/run-<int:number>/export/",
        exports.compaction_exports,
        name="compaction-export",
    ),
    path(
        "sessions/<str:session>/compactions/run-<int:number>/export/zip/",
        exports.compaction_download,
        name="compaction-download",
    ),
    path("settings/", settings_page.settings_list, name="settings"),
    path("", include("inspector.health")),
    path("", include("compaction.urls")),
    path("", include("memory.urls")),
    path("", include("sessions.urls")),
]
