"""The CLAUDE.md chain: what is loaded for a directory, in which order, and which part of it a compaction loses."""

from __future__ import annotations

from memory.chain.engine.build import MOST_HOPS, Chain, build_chain
from memory.chain.engine.chain_file import MOST_CHARACTERS, ChainFile, Include, Layer, Outcome, When
from memory.chain.engine.reminder import format_reminder, is_recorded

__all__ = [
    "MOST_CHARACTERS",
    "MOST_HOPS",
    "Chain",
    "ChainFile",
    "Include",
    "Layer",
    "Outcome",
    "When",
    "build_chain",
    "format_reminder",
    "is_recorded",
]
