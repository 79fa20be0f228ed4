"""Fields and constraints: source files and their archive, transcripts, entries, what was counted of them, and
captured requests."""

from __future__ import annotations

from sessions.models.archive import Block, Source
from sessions.models.capture import Capture, CaptureBlob
from sessions.models.entry import Entry, Mark, Oddity, Problem
from sessions.models.spend import Request, Turn
from sessions.models.transcript import Project, Transcript

__all__ = [
    "Block",
    "Capture",
    "CaptureBlob",
    "Entry",
    "Mark",
    "Oddity",
    "Problem",
    "Project",
    "Request",
    "Source",
    "Transcript",
    "Turn",
]
