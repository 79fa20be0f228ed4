"""Microcompact: clears old tool results by the clock, in the server's cache, or through the API itself."""

from __future__ import annotations

from compaction.mechanisms.engine.microcompact.precedence import (
    MicrocompactConfig,
    MicrocompactOutcome,
    MicrocompactState,
    microcompact,
)

__all__ = ["MicrocompactConfig", "MicrocompactOutcome", "MicrocompactState", "microcompact"]
