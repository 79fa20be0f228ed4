"""Context collapse: summaries replace spans of early history, one by one, before the window is full."""

from __future__ import annotations

from compaction.mechanisms.engine.collapse.config import CollapseConfig, Weights, suppresses_auto_compact
from compaction.mechanisms.engine.collapse.cycle import Announce, CollapseReport, Summarise, collapse
from compaction.mechanisms.engine.collapse.records import commit_record, from_records, snapshot_record, to_records
from compaction.mechanisms.engine.collapse.state import CollapseState, Commit, StagedSpan

__all__ = [
    "Announce",
    "CollapseConfig",
    "CollapseReport",
    "CollapseState",
    "Commit",
    "StagedSpan",
    "Summarise",
    "Weights",
    "collapse",
    "commit_record",
    "from_records",
    "snapshot_record",
    "suppresses_auto_compact",
    "to_records",
]
