"""Writes and removes the notes of kill requests; inspector.runs.selectors.kills says why there are any."""

from __future__ import annotations

from inspector.runs.models import Run
from inspector.runs.selectors.kills import kill_note_path


def kill_write(run: Run) -> None:
    note = kill_note_path(run.pk, run.created_at)
    if note is not None:
        note.parent.mkdir(parents=True, exist_ok=True)
        note.touch()


def kill_forget(run: Run) -> None:
    note = kill_note_path(run.pk, run.created_at)
    if note is not None:
        note.unlink(missing_ok=True)
