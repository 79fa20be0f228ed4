"""Where memory is stored, and which paths are safe."""

from __future__ import annotations

from memory.files.engine.locations.agents import AgentMemory, Scope, find_agent_memories
from memory.files.engine.locations.confined_directory import ConfinedDirectory, InvalidNameError
from memory.files.engine.locations.daily_logs import day_of
from memory.files.engine.locations.directory_settings import LocationOrigin
from memory.files.engine.locations.memory_location import MemoryLocation, RefusedSetting, locate_memory
from memory.files.engine.locations.repository import find_canonical_root
from memory.files.engine.locations.safety import UnsafePathError, check_directory
from memory.files.engine.locations.session_notes import SessionNotes, find_session_notes, notes_paths

__all__ = [
    "AgentMemory",
    "ConfinedDirectory",
    "InvalidNameError",
    "LocationOrigin",
    "MemoryLocation",
    "RefusedSetting",
    "Scope",
    "SessionNotes",
    "UnsafePathError",
    "check_directory",
    "day_of",
    "find_agent_memories",
    "find_canonical_root",
    "find_session_notes",
    "locate_memory",
    "notes_paths",
]
