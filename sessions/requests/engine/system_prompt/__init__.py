"""The system prompt: its sections, and the blocks of a request made from them."""

from __future__ import annotations

from sessions.requests.engine.system_prompt.blocks import (
    BOUNDARY,
    Provider,
    Scope,
    ScopedText,
    assemble,
    scope_texts,
    system_blocks,
)
from sessions.requests.engine.system_prompt.sections import (
    Section,
    SectionState,
    render_sections,
    stable_section,
    volatile_section,
)

__all__ = [
    "BOUNDARY",
    "Provider",
    "Scope",
    "ScopedText",
    "Section",
    "SectionState",
    "assemble",
    "render_sections",
    "scope_texts",
    "stable_section",
    "system_blocks",
    "volatile_section",
]
