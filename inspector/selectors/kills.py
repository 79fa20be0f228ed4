"""Kills that the database does not hold yet: an import may write to it for seconds, and a kill does not wait for that.

A file each, in the home. Whoever works on the run looks for it, and it goes with the end of the run."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from inspector.models import Run


def kill_note(run_id: int, created_at: int) -> Path:
    """The number alone may also be that of a run in a database that is gone."""
    return Path(settings.LUCID_HOME) / "kills" / f"{run_id}-{created_at}"


def kill_asked_at(run: Run) -> int | None:
    """When a kill was asked for, as far as anybody knows."""
    if run.kill_requested_at is not None:
        return run.kill_requested_at
    try:
        return int(kill_note(run.pk, run.created_at).stat().st_mtime * 1000)
    except FileNotFoundError:
        return None
