"""Summaries and notes without a model: the record quoted and listed, nothing judged and nothing made up."""

from __future__ import annotations

from compaction.mechanisms.engine.mechanical.config import MechanicalConfig
from compaction.mechanisms.engine.mechanical.facts import Facts, facts_of
from compaction.mechanisms.engine.mechanical.notes import notes_sections
from compaction.mechanisms.engine.mechanical.summary import LABEL, Mechanical, mechanical_summary

__all__ = [
    "LABEL",
    "Facts",
    "Mechanical",
    "MechanicalConfig",
    "facts_of",
    "mechanical_summary",
    "notes_sections",
]
