from __future__ import annotations

from django.apps import AppConfig


class SessionsConfig(AppConfig):
    # Django's own session framework already has the label "sessions".
    name = "sessions"
    label = "transcripts"
    default_auto_field = "django.db.models.BigAutoField"
