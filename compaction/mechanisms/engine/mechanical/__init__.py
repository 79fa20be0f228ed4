"""Summaries and notes without a model: they quote and list records, without judging."""

from __future__ import annotations

from compaction.mechanisms.engine.mechanical.config import MechanicalConfig
from compaction.mechanisms.engine.mechanical.facts import Facts, facts_of
from compaction.mechanisms.engine.mechanical.notes import notes_sections
from compaction.mechanisms.engine.mechanical.statements import LABEL
from compaction.mechanisms.engine.mechanical.summary import MechanicalSummariser, mechanical_summary

__all__ = [
    "LABEL",
    "Facts",
    "MechanicalConfig",
    "MechanicalSummariser",
    "facts_of",
    "mechanical_summary",
    "notes_sections",
]
