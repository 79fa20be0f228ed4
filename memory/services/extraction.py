"""Where memories out of a session go, how far it was looked through, and who waits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from inspector.web.clock import now_ms
from memory.engine.disk import FileTroubleError
from memory.engine.extraction import Waiting
from memory.models import Directory, Extraction
from memory.services.writing import directory_register
from sessions.engine.paths import kept, opened
from sessions.models import Transcript


class NoMemoryError(FileTroubleError):
    """Nobody knows where the memory of the project is."""


def extraction_directory(*, transcript: Transcript) -> Directory:
    """The memory of the session's project. It need not be there yet."""
    rows = Directory.objects.filter(project=transcript.project_id, holds=Directory.Holds.MEMORY).order_by("pk")
    found = next((one for one in rows if not _is_demo(opened(one.path))), None)
    if found is not None:
        return found
    path = opened(transcript.project.directory) / "memory"
    if _is_demo(path):
        raise NoMemoryError("The demo's own files stay as they are: `lucid serve --demo` makes a copy to work on.")
    return directory_register(path=kept(path))


def extraction_move(*, transcript: Transcript, position: int, why: str) -> None:
    """The next look begins there; it never goes back."""
    with transaction.atomic():
        row, _ = Extraction.objects.select_for_update().get_or_create(transcript=transcript)
        row.position, row.why, row.at = max(row.position, position), why, now_ms()
        row.save(update_fields=["position", "why", "at"])


def extraction_asked(*, transcript: Transcript, request: dict[str, Any], busy: bool) -> dict[str, Any] | None:
    """What is to be started now; None if it waits for the one under way. Of those who wait the newest is kept."""
    with transaction.atomic():
        row, _ = Extraction.objects.select_for_update().get_or_create(transcript=transcript)
        state, start = Waiting(busy, row.waiting).asked(request)
        row.waiting = state.next
        row.save(update_fields=["waiting"])
    return start


def extraction_ended(*, transcript: Transcript) -> dict[str, Any] | None:
    """What has waited and is to be started now."""
    with transaction.atomic():
        row, _ = Extraction.objects.select_for_update().get_or_create(transcript=transcript)
        state, start = Waiting(True, row.waiting).ended()
        row.waiting = state.next
        row.save(update_fields=["waiting"])
    return start


def _is_demo(path: Path) -> bool:
    return path.resolve().is_relative_to(Path(settings.DEMO_DIR).resolve())
