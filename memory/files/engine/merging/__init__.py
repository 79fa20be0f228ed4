"""Merges two changes to one text. Where they overlap, a person has to choose."""

from __future__ import annotations

from memory.files.engine.merging.matching import LineMatch, match_lines
from memory.files.engine.merging.merge import AgreedLines, Choice, Conflict, LineOrigin, Merge, merge

__all__ = ["AgreedLines", "Choice", "Conflict", "LineMatch", "LineOrigin", "Merge", "match_lines", "merge"]
