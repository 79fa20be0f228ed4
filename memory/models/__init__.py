"""Fields and constraints: memory directories, their files with every version, and the sessions that touched them."""

from __future__ import annotations

from memory.models.directory import Directory, File
from memory.models.extraction import Extraction
from memory.models.notes import NotesUpdate
from memory.models.touch import Reached, Touch
from memory.models.version import Batch, Blob, Cause, Version

__all__ = [
    "Batch",
    "Blob",
    "Cause",
    "Directory",
    "Extraction",
    "File",
    "NotesUpdate",
    "Reached",
    "Touch",
    "Version",
]
