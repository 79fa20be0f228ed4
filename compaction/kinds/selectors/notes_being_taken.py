"""Whether the notes of a session are being updated right now: a compaction by notes waits for that."""

from __future__ import annotations

from dataclasses import replace

from compaction.kinds.selectors import newest_notes
from compaction.mechanisms.engine import Notes
from inspector.runs.models import Run
from sessions.models import Transcript

KIND = "notes"
"""Of the runs that take notes."""


def run_taking_notes(transcript: Transcript) -> int | None:
    """The number of the active run; None if there is none. A run that is only queued may be waiting for our own
    worker."""
    runs = Run.objects.filter(kind=KIND, status=Run.Status.RUNNING, parameters__transcript=transcript.pk)
    return runs.values_list("pk", flat=True).first()


def foresee_notes(transcript: Transcript, position: int) -> Notes | None:
    """The current notes for a forecast, with a remark on the run that a compaction would wait for."""
    notes = newest_notes(transcript, position)
    run = run_taking_notes(transcript) if position >= transcript.entries else None
    if run is None:
        return notes
    return with_word(notes, f"run {run} is bringing them up to date, and a compaction would wait for it")


def with_word(notes: Notes | None, word: str) -> Notes | None:
    """The notes with a remark on how they were made."""
    return None if notes is None else replace(notes, source=f"{notes.source}; {word}")
