from __future__ import annotations

from django.urls import path

from compaction.views import trail

urlpatterns = [
    path("sessions/<str:session>/compactions/", trail.compaction_list, name="compaction-list"),
]
