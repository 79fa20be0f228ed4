"""From a message of a session to the recall bench of its project."""

from __future__ import annotations

from urllib.parse import urlencode

from django import template
from django.urls import reverse

from memory.files.selectors.directories import visible_directories
from sessions.models import Transcript

register = template.Library()


@register.simple_tag
def recall_address(session: Transcript, address: str) -> str:
    """Empty if no memory of the project is known."""
    directory = visible_directories().filter(project=session.project_id).first()
    if directory is None:
        return ""
    page = reverse("memory-recall", args=[directory.pk])
    return f"{page}?{urlencode({'session': session.public_id, 'entry': address})}"
