"""Two contexts beside each other: what became of every message, and why."""

from __future__ import annotations

from compaction.compare.engine.align import Pairs, Row, matched
from compaction.compare.engine.causes import (
    Cause,
    Causes,
    causes_of_left_out,
    causes_of_report,
)
from compaction.compare.engine.comparison import Comparison, Count, compared
from compaction.compare.engine.layout import Gap, Layout
from compaction.compare.engine.shares import Share, shares_of
from compaction.compare.engine.status import Status
from compaction.compare.engine.validity import Validity, validity_of
from compaction.compare.engine.words import Stretch, word_diff

__all__ = [
    "Cause",
    "Causes",
    "Comparison",
    "Count",
    "Gap",
    "Layout",
    "Pairs",
    "Row",
    "Share",
    "Status",
    "Stretch",
    "Validity",
    "causes_of_left_out",
    "causes_of_report",
    "compared",
    "matched",
    "shares_of",
    "validity_of",
    "word_diff",
]
