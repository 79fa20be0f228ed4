"""Lines of an index for a page: masked, with their fate and their target."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from memory.files.engine.reading import Fate, Index
from memory.files.engine.reading.loaded_text import MOST_LINES
from sessions.secrets.engine import mask
from sessions.text.engine.invisible_characters import spell_invisible

MOST = MOST_LINES + 10
"""All lines that can be loaded, and a few that are cut. The file's own page has the rest."""
LONGEST = 600


@dataclass(frozen=True, slots=True)
class IndexRow:
    number: str
    """As text: templates format numbers for the language."""
    title: str
    """Of its link; empty if there is none, or several."""
    text: str
    """What follows the link; the whole line if there is none."""
    target: str
    fate: str
    dangling: bool
    cut_here: bool
    """The first line that is not loaded."""


def index_rows(index: Index, names: Collection[str], most: int = MOST) -> list[IndexRow]:
    rows: list[IndexRow] = []
    was_cut = False
    for line in index.lines[:most]:
        is_cut = line.fate in (Fate.CUT, Fate.PARTLY)
        entry = line.entries[0] if len(line.entries) == 1 and line.entries[0].target else None
        text = spell_invisible(mask(entry.hook if entry else line.text))
        rows.append(
            IndexRow(
                str(line.number),
                spell_invisible(mask(entry.title)) or entry.target if entry else "",
                text if len(text) <= LONGEST else f"{text[:LONGEST]}…",
                entry.target if entry else "",
                line.fate.value.replace(" ", "-"),
                any(pointer.target and pointer.target not in names for pointer in line.entries),
                is_cut and not was_cut,
            )
        )
        was_cut = was_cut or is_cut
    return rows
