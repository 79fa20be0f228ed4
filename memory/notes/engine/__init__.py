"""Notes of one session: when they are due, what they look like, and what an update may do to them."""

from __future__ import annotations

from memory.notes.engine.cursor import last_summarized_after
from memory.notes.engine.due import DueCheck, LastUpdate, NotesThresholds, check_due
from memory.notes.engine.limits import NotesLimits, find_overruns
from memory.notes.engine.prompt import PROMPT, substitute, update_prompt
from memory.notes.engine.repair import NotesBrokenError, RepairedNotes, fill_notes, repair_notes
from memory.notes.engine.sections import Section, is_empty, sections_of
from memory.notes.engine.template import TEMPLATE, TITLES

__all__ = [
    "PROMPT",
    "TEMPLATE",
    "TITLES",
    "DueCheck",
    "LastUpdate",
    "NotesBrokenError",
    "NotesLimits",
    "NotesThresholds",
    "RepairedNotes",
    "Section",
    "check_due",
    "fill_notes",
    "find_overruns",
    "is_empty",
    "last_summarized_after",
    "repair_notes",
    "sections_of",
    "substitute",
    "update_prompt",
]
