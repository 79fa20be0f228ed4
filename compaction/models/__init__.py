"""Compactions that were made here, and what was found out about the prompt cache of sessions."""

from __future__ import annotations

from compaction.models.cache import CacheBreak, CacheScan
from compaction.models.compaction import Compaction, Export

__all__ = ["CacheBreak", "CacheScan", "Compaction", "Export"]
