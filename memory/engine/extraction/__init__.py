"""Memories out of a session: when it is worth a look, what whoever looks is told, and where each memory comes from."""

from __future__ import annotations

from memory.engine.extraction.deciding import Considered, ExtractionConfig, consider
from memory.engine.extraction.prompt import SYSTEM, extraction_prompt
from memory.engine.extraction.sources import source_of
from memory.engine.extraction.waiting import Waiting

__all__ = [
    "SYSTEM",
    "Considered",
    "ExtractionConfig",
    "Waiting",
    "consider",
    "extraction_prompt",
    "source_of",
]
