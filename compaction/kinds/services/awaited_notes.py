"""Waits for notes that are being updated, so that a compaction does not use the earlier ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from compaction.kinds.selectors import newest_notes
from compaction.kinds.selectors.notes_being_taken import run_taking_notes, with_word
from compaction.mechanisms.engine import Notes
from sessions.models import Transcript

PATIENCE = 60.0
"""Seconds. An update takes a few answers of a model."""
PAUSE = 0.25


def await_notes(
    transcript: Transcript, position: int, wait: Callable[[float], None], phase: Callable[[str], None]
) -> Notes | None:
    """The notes, once the run that updates them has ended. `wait` sleeps, and raises when the work must stop."""
    run = run_taking_notes(transcript) if position >= transcript.entries else None
    if run is None:
        return newest_notes(transcript, position)
    phase(f"waiting for run {run}, which takes notes")
    waited = 0.0
    while waited < PATIENCE and run_taking_notes(transcript) == run:
        wait(PAUSE)
        waited += PAUSE
    notes = newest_notes(transcript, position)
    if waited < PATIENCE:
        return with_word(notes, f"it waited for run {run}, which took them")
    return None if notes is None else replace(notes, is_being_written=True)
