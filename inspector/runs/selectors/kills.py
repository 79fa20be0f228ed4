"""Kill requests that are not in the database yet.

A kill request is a field of the run, which every host sees. But SQLite allows one writer at a time, an import may write
for seconds, and a kill must not wait for it. So on SQLite the request is also noted in a file in the home, which all
processes that use the database share. The worker looks for that file, and it is deleted when the run ends."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.db import connection

from inspector.runs.models import Run


def kill_note_path(run_id: int, created_at: int) -> Path | None:
    """None where the database is enough. The time is part of the name because a run of an earlier database may have had
    the same number."""
    if connection.vendor != "sqlite":
        return None
    return Path(settings.LUCID_HOME) / "kills" / f"{run_id}-{created_at}"


def kill_requested_at(run: Run) -> int | None:
    """When a kill was requested, in the database or in a note."""
    if run.kill_requested_at is not None:
        return run.kill_requested_at
    note = kill_note_path(run.pk, run.created_at)
    try:
        return int(note.stat().st_mtime * 1000) if note is not None else None
    except FileNotFoundError:
        return None
