"""Memories from a session: when to look for them, the prompt, and the source of each memory."""

from __future__ import annotations

from memory.extraction.engine.decision import ExtractionConfig, ExtractionDecision, decide_extraction
from memory.extraction.engine.prompt import SYSTEM, extraction_prompt
from memory.extraction.engine.request_queue import RequestQueue
from memory.extraction.engine.sources import find_source

__all__ = [
    "SYSTEM",
    "ExtractionConfig",
    "ExtractionDecision",
    "RequestQueue",
    "decide_extraction",
    "extraction_prompt",
    "find_source",
]
