"""Two people changed one text: what both did is kept, and where they meet, somebody has to choose."""

from __future__ import annotations

from memory.files.engine.merging.matching import LineMatch, lines_of, match_lines
from memory.files.engine.merging.merge import (
    AgreedLines,
    Choice,
    Conflict,
    LineOrigin,
    Merge,
    merge,
)

__all__ = ["AgreedLines", "Choice", "Conflict", "LineMatch", "LineOrigin", "Merge", "lines_of", "match_lines", "merge"]
