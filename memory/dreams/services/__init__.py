"""Dreams and tidies as runs: they hold the lock, work on a copy of the memory directory, and end in a proposal."""

from __future__ import annotations

from memory.dreams.services.runs import DREAM, TIDY, dream_create, dream_run
from memory.dreams.services.schedule import dreams_start

__all__ = ["DREAM", "TIDY", "dream_create", "dream_run", "dreams_start"]
