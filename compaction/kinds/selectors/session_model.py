"""The model of a session, which can write summaries from the session's own prompt cache."""

from __future__ import annotations

from sessions.models import Request, Transcript
from sessions.usage.engine.prices import SYNTHETIC


def session_model(transcript: Transcript) -> str:
    """The model of the latest request; empty if no record names one."""
    models = Request.objects.filter(transcript=transcript).exclude(model__in=("", SYNTHETIC)).order_by("-position")
    return models.values_list("model", flat=True).first() or ""
