"""What a request is made of, in the order of the cache: tools, system prompt, messages; and what became of each."""

from __future__ import annotations

from sessions.engine.anatomy.build import Anatomy, anatomy_of
from sessions.engine.anatomy.marks import CacheMark
from sessions.engine.anatomy.part import Fate, Part, Section
from sessions.engine.anatomy.rows import Fold, rows_of

__all__ = ["Anatomy", "CacheMark", "Fate", "Fold", "Part", "Section", "anatomy_of", "rows_of"]
