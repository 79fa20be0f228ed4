"""Two contexts beside each other: what became of every message, and why."""

from __future__ import annotations

from compaction.engine.compare.align import Pairs, Row, matched
from compaction.engine.compare.causes import Cause, Causes, causes_of_left_out, causes_of_report
from compaction.engine.compare.comparison import Comparison, Count, compared
from compaction.engine.compare.layout import Gap, Layout
from compaction.engine.compare.shares import Share, shares_of
from compaction.engine.compare.status import Status
from compaction.engine.compare.validity import Validity, validity_of
from compaction.engine.compare.words import Stretch, word_diff

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
