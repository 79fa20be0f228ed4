"""The system prompt: sections, and the blocks that a request makes of them."""

from __future__ import annotations

from compaction.mechanisms.engine.system_prompt.blocks import (
    BOUNDARY,
    Provider,
    Scope,
    ScopedText,
    assembled,
    scoped,
    system_blocks,
)
from compaction.mechanisms.engine.system_prompt.sections import (
    Section,
    SectionState,
    computed_once,
    rendered,
    volatile,
)

__all__ = [
    "BOUNDARY",
    "Provider",
    "Scope",
    "ScopedText",
    "Section",
    "SectionState",
    "assembled",
    "computed_once",
    "rendered",
    "scoped",
    "system_blocks",
    "volatile",
]
