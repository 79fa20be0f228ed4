"""Notes of one session: when they are due, what they look like, and what an update may do to them."""

from __future__ import annotations

from memory.engine.notes.checking import Checked, NotesBrokenError, checked, filled
from memory.engine.notes.cursor import last_summarized_after
from memory.engine.notes.due import Due, LastTaken, NotesThresholds, due
from memory.engine.notes.limits import NotesLimits, overruns
from memory.engine.notes.prompt import PROMPT, substituted, update_prompt
from memory.engine.notes.sections import Section, is_empty, sections_of
from memory.engine.notes.template import TEMPLATE, TITLES

__all__ = [
    "PROMPT",
    "TEMPLATE",
    "TITLES",
    "Checked",
    "Due",
    "LastTaken",
    "NotesBrokenError",
    "NotesLimits",
    "NotesThresholds",
    "Section",
    "checked",
    "due",
    "filled",
    "is_empty",
    "last_summarized_after",
    "overruns",
    "sections_of",
    "substituted",
    "update_prompt",
]
