"""The CLAUDE.md chain: what is loaded for a directory, in which order, and what a compaction loses of it."""

from __future__ import annotations

from memory.chain.engine.build import MOST_HOPS, Chain, chain_of
from memory.chain.engine.link import (
    MOST_CHARACTERS,
    ChainFile,
    Include,
    Layer,
    Outcome,
    When,
)
from memory.chain.engine.words import is_recorded, reminder

__all__ = [
    "MOST_CHARACTERS",
    "MOST_HOPS",
    "Chain",
    "ChainFile",
    "Include",
    "Layer",
    "Outcome",
    "When",
    "chain_of",
    "is_recorded",
    "reminder",
]
