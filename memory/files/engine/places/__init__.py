"""Where memory lives, and how far a name may lead."""

from __future__ import annotations

from memory.files.engine.places.agents import (
    AgentMemory,
    Scope,
    agent_memories,
    agent_memory,
)
from memory.files.engine.places.confined import Confined, OutsideError
from memory.files.engine.places.locate import (
    Place,
    Refused,
    memory_directories,
    memory_place,
)
from memory.files.engine.places.logs import day_of, log_name
from memory.files.engine.places.notes import SessionNotes, notes_places, session_notes
from memory.files.engine.places.repository import canonical_root
from memory.files.engine.places.safety import UnsafePathError, safe_directory
from memory.files.engine.places.settings import Origin
from memory.files.engine.places.slug import slug_of

__all__ = [
    "AgentMemory",
    "Confined",
    "Origin",
    "OutsideError",
    "Place",
    "Refused",
    "Scope",
    "SessionNotes",
    "UnsafePathError",
    "agent_memories",
    "agent_memory",
    "canonical_root",
    "day_of",
    "log_name",
    "memory_directories",
    "memory_place",
    "notes_places",
    "safe_directory",
    "session_notes",
    "slug_of",
]
