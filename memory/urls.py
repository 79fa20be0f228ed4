from __future__ import annotations

from django.urls import path

from memory.views import proposals

urlpatterns = [
    path("memory/proposals/<int:proposal_id>/", proposals.proposal_detail, name="proposal-detail"),
    path("memory/proposals/<int:proposal_id>/undo/", proposals.proposal_undo, name="proposal-undo"),
]
