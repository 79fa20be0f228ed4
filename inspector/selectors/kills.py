"""Kills that the database does not hold yet: an import may write to it for seconds, and a kill does not wait for that.

A file each, in the home. Whoever works on the run looks for it, and it goes with the end of the run."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from inspector.models import Run

CLOCK_MS = 1000
"""File systems count in other steps than we do."""


def kill_note(run_id: int) -> Path:
    return Path(settings.LUCID_HOME) / "kills" / str(run_id)


CLOCK_MS = 1000
"""File systems count in other steps than we do."""


def kill_noted(run_id: int, created_at: int) -> int | None:
    """When. A note that is older than the run was about another one, of a database that is gone."""
    try:
        at = int(kill_note(run_id).stat().st_mtime * 1000)
    except FileNotFoundError:
        return None
    return at if at >= created_at - CLOCK_MS else None


def kill_asked_at(run: Run) -> int | None:
    """When a kill was asked for, as far as anybody knows."""
    return run.kill_requested_at if run.kill_requested_at is not None else kill_noted(run.pk, run.created_at)
