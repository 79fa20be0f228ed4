"""Two people changed one text: what both did is kept, and where they meet, somebody has to choose."""

from __future__ import annotations

from memory.files.engine.merging.matching import Match, lines_of, matches
from memory.files.engine.merging.merge import (
    Agreed,
    Choice,
    Conflict,
    Merge,
    Origin,
    merge,
)

__all__ = ["Agreed", "Choice", "Conflict", "Match", "Merge", "Origin", "lines_of", "matches", "merge"]
