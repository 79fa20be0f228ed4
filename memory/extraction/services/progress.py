"""The state of a session's extractions: the memory directory, how far it was searched, and the waiting request."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from inspector.web.clock import now_ms
from memory.extraction.engine import RequestQueue
from memory.extraction.selectors import memory_path
from memory.files.services.writing import directory_register
from memory.models import Directory, Extraction
from sessions.models import Transcript
from sessions.transcripts.engine.paths import encode_path


def extraction_directory(*, transcript: Transcript) -> Directory:
    """The memory directory of the session's project; it need not exist yet. Raises NoMemoryError."""
    return directory_register(path=encode_path(memory_path(transcript)))


def extraction_move(*, transcript: Transcript, position: int, why: str) -> None:
    """The next extraction starts there; the position never goes back."""
    with transaction.atomic():
        row, _ = Extraction.objects.select_for_update().get_or_create(transcript=transcript)
        row.position, row.why, row.at = max(row.position, position), why, now_ms()
        row.save(update_fields=["position", "why", "at"])


def extraction_enqueue(*, transcript: Transcript, request: dict[str, Any], busy: bool) -> dict[str, Any] | None:
    """The request to start now; None if it has to wait. Only the newest one waits."""
    with transaction.atomic():
        row, _ = Extraction.objects.select_for_update().get_or_create(transcript=transcript)
        state, start = RequestQueue(busy, row.waiting).add(request)
        row.waiting = state.next
        row.save(update_fields=["waiting"])
    return start


def extraction_dequeue(*, transcript: Transcript) -> dict[str, Any] | None:
    """The waiting request, to be started now."""
    with transaction.atomic():
        row, _ = Extraction.objects.select_for_update().get_or_create(transcript=transcript)
        state, start = RequestQueue(True, row.waiting).finish()
        row.waiting = state.next
        row.save(update_fields=["waiting"])
    return start
