"""From the bytes of a transcript to the rows that are stored of it."""

from __future__ import annotations

from sessions.engine.scan.batch import Batch, EntryRow, ProblemRow, RequestRow, TurnRow
from sessions.engine.scan.facts import Facts
from sessions.engine.scan.reading import Stretch, read_stretches
from sessions.engine.scan.scanner import Scanner

__all__ = [
    "Batch",
    "EntryRow",
    "Facts",
    "ProblemRow",
    "RequestRow",
    "Scanner",
    "Stretch",
    "TurnRow",
    "read_stretches",
]
