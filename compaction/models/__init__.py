"""Compactions that Lucid made, and breaks of the prompt cache that it found."""

from __future__ import annotations

from compaction.models.cache import CacheBreak, CacheScan
from compaction.models.compaction import Compaction, Export
from compaction.models.pins import Pin

__all__ = ["CacheBreak", "CacheScan", "Compaction", "Export", "Pin"]
