from __future__ import annotations

from django.urls import path

from sessions.views import catalog, odd, search

urlpatterns = [
    path("sessions/", catalog.transcript_list, name="transcript-list"),
    path("search/", search.search_page, name="search"),
    path("odd/", odd.odd, name="odd"),
    path("retention/", odd.retention, name="retention"),
]
