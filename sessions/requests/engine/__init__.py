"""What a request is made of, in the order of the cache: tools, system prompt, messages; and what became of each."""

from __future__ import annotations

from sessions.requests.engine.build import Anatomy, anatomy_of
from sessions.requests.engine.marks import CacheMark
from sessions.requests.engine.part import Fate, Part, Section
from sessions.requests.engine.rows import Fold, rows_of

__all__ = ["Anatomy", "CacheMark", "Fate", "Fold", "Part", "Section", "anatomy_of", "rows_of"]
