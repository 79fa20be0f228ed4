"""Kills that the database does not hold yet. A kill is a field of the run, which every host sees; but one writer at a
time is all that SQLite allows, an import may write for seconds, and a kill does not wait for that. So there, and only
there, it is noted beside the database: all processes that use the file have the same home.

A file each. Whoever works on the run looks for it, and it goes with the end of the run."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.db import connection

from inspector.runs.models import Run


def kill_note(run_id: int, created_at: int) -> Path | None:
    """The number alone may also be that of a run in a database that is gone. None where the database is enough."""
    if connection.vendor != "sqlite":
        return None
    return Path(settings.LUCID_HOME) / "kills" / f"{run_id}-{created_at}"


def kill_asked_at(run: Run) -> int | None:
    """When a kill was asked for, as far as anybody knows."""
    if run.kill_requested_at is not None:
        return run.kill_requested_at
    note = kill_note(run.pk, run.created_at)
    try:
        return int(note.stat().st_mtime * 1000) if note is not None else None
    except FileNotFoundError:
        return None
