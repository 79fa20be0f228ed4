"""Notes of one session: when they are due, what they look like, and what an update may do to them."""

from __future__ import annotations

from memory.notes.engine.checking import (
    Checked,
    NotesBrokenError,
    checked,
    filled,
)
from memory.notes.engine.cursor import last_summarized_after
from memory.notes.engine.due import (
    Due,
    LastTaken,
    NotesThresholds,
    due,
)
from memory.notes.engine.limits import NotesLimits, overruns
from memory.notes.engine.prompt import PROMPT, substituted, update_prompt
from memory.notes.engine.sections import Section, is_empty, sections_of
from memory.notes.engine.template import TEMPLATE, TITLES

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
