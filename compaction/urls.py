from __future__ import annotations

from django.urls import path

import inspector.web.paths  # noqa: F401 - knows how `any` is written in an address
from compaction.cache.views import cache_break, downloads, forks
from compaction.cache.views import report as cache_report
from compaction.cache.views import session as cache
from compaction.compare.views import comparison, requests
from compaction.export import views as exports
from compaction.kinds.views import compact as compacting
from compaction.pins import views as pins
from compaction.questions.views import transcript_questions
from compaction.trail.views import replay, summary, trail

urlpatterns = [
    path("cache/own/", forks.own_forks, name="own-forks"),
    path("cache/own/<int:capture_id>/", forks.own_fork, name="own-fork"),
    path("cache/", cache_report.cache_report, name="cache-report"),
    path("cache/breaks.csv", downloads.breaks_csv, name="cache-breaks-csv"),
    path("cache/breaks.json", downloads.breaks_json, name="cache-breaks-json"),
    path("sessions/<str:session>/cache/", cache.transcript_cache, name="transcript-cache"),
    path("sessions/<str:session>/cache/look/", cache.cache_scan_start, name="cache-look"),
    path("sessions/<str:session>/cache/<any:message_id>/diff/", downloads.break_diff_file, name="cache-break-diff"),
    path("sessions/<str:session>/cache/<any:message_id>/", cache_break.cache_break, name="cache-break"),
    path("sessions/<str:session>/pins/", pins.message_pin, name="message-pin"),
    path("sessions/<str:session>/questions/", transcript_questions, name="transcript-questions"),
    path("sessions/<str:session>/compact/request/", compacting.compact_request, name="compact-request"),
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
    path("sessions/<str:session>/compactions/replay/", replay.compaction_replay, name="compaction-replay"),
    path("sessions/<str:session>/compactions/replay/", replay.compaction_replay, name="compaction-replay"),
    path("sessions/<str:session>/compactions/", trail.compaction_list, name="compaction-list"),
    path(
        "sessions/<str:session>/compactions/<any:name>/summary/", summary.compaction_summary, name="compaction-summary"
    ),
    path("sessions/<str:session>/compactions/<any:name>/", comparison.compaction_detail, name="compaction-detail"),
    path("sessions/<str:session>/requests/compare/", requests.request_compare, name="request-compare"),
    path("sessions/<str:session>/compare/", comparison.transcript_compare, name="transcript-compare"),
]
