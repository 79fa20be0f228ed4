"""Fields and constraints: source files and their archive, transcripts, entries, what was counted of them,
captured requests, and imports that are shared."""

from __future__ import annotations

from sessions.models.agent_summary import AgentSummary
from sessions.models.archive import Block, Source
from sessions.models.capture import Capture, CaptureBlob
from sessions.models.entry import Entry, Mark, Oddity, Problem
from sessions.models.portion import Portion, SharedImport
from sessions.models.spend import Request, Turn
from sessions.models.transcript import Project, Transcript
from sessions.models.weights import Weighing

__all__ = [
    "AgentSummary",
    "Block",
    "Capture",
    "CaptureBlob",
    "Entry",
    "Mark",
    "Oddity",
    "Portion",
    "Problem",
    "Project",
    "Request",
    "SharedImport",
    "Source",
    "Transcript",
    "Turn",
    "Weighing",
]
