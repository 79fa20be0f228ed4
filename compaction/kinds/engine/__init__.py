"""Every kind of compaction behind one function. A new kind is a module in `specs` and a line in its registry."""

from __future__ import annotations

from compaction.kinds.engine.apply import apply_kind
from compaction.kinds.engine.job import Parameters
from compaction.kinds.engine.result import CompactionResult
from compaction.kinds.engine.settings import Setting, config_of, settings_of
from compaction.kinds.engine.spec import KindError, KindSpec
from compaction.kinds.engine.specs import all_kinds, kind_named

__all__ = [
    "CompactionResult",
    "KindError",
    "KindSpec",
    "Parameters",
    "Setting",
    "all_kinds",
    "apply_kind",
    "config_of",
    "kind_named",
    "settings_of",
]
