"""Memories out of a session: when it is worth a look, what whoever looks is told, and where each memory comes from."""

from __future__ import annotations

from memory.extraction.engine.deciding import Considered, ExtractionConfig, consider
from memory.extraction.engine.prompt import SYSTEM, extraction_prompt
from memory.extraction.engine.sources import source_of
from memory.extraction.engine.waiting import Waiting

__all__ = [
    "SYSTEM",
    "Considered",
    "ExtractionConfig",
    "Waiting",
    "consider",
    "extraction_prompt",
    "source_of",
]
