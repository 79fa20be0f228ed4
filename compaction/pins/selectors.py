"""Reads which messages are pinned."""

from __future__ import annotations

from compaction.models import Pin
from sessions.models import Transcript


def pinned_uuids(transcript: Transcript) -> tuple[str, ...]:
    """In the order in which they were pinned."""
    return tuple(Pin.objects.filter(transcript=transcript).order_by("pk").values_list("uuid", flat=True))
