from __future__ import annotations

from django.urls import path

import inspector.web.paths  # noqa: F401 - knows how `any` is written in an address
from compaction.views import comparison, requests, summary, trail

urlpatterns = [
    path("sessions/<str:session>/compactions/", trail.compaction_list, name="compaction-list"),
    path(
        "sessions/<str:session>/compactions/<any:name>/summary/", summary.compaction_summary, name="compaction-summary"
    ),
    path("sessions/<str:session>/compactions/<any:name>/", comparison.compaction_detail, name="compaction-detail"),
    path("sessions/<str:session>/requests/compare/", requests.request_compare, name="request-compare"),
    path("sessions/<str:session>/compare/", comparison.transcript_compare, name="transcript-compare"),
]
