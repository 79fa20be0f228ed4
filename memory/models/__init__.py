"""Models: memory directories, their files with all versions, the sessions that touched them, and proposals."""

from __future__ import annotations

from memory.models.directory import Directory, File
from memory.models.extraction import Extraction
from memory.models.notes import NotesUpdate
from memory.models.proposal import Proposal, ProposedFile
from memory.models.scan import DreamScan
from memory.models.touch import Reached, Touch
from memory.models.version import Batch, Blob, Cause, Version

__all__ = [
    "Batch",
    "Blob",
    "Cause",
    "Directory",
    "DreamScan",
    "Extraction",
    "File",
    "NotesUpdate",
    "Proposal",
    "ProposedFile",
    "Reached",
    "Touch",
    "Version",
]
