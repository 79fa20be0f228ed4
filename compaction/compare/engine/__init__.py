"""Two contexts side by side: what became of every message, and why."""

from __future__ import annotations

from compaction.compare.engine.align import ComparisonRow, Pairs, match_messages
from compaction.compare.engine.causes import Cause, Causes, causes_of_left_out, causes_of_report
from compaction.compare.engine.changed_words import Stretch, word_diff
from compaction.compare.engine.comparison import Comparison, StatusCount, compare
from compaction.compare.engine.layout import Gap, Layout
from compaction.compare.engine.shares import Share, shares_of
from compaction.compare.engine.status import Status
from compaction.compare.engine.validity import Validity, check_validity

__all__ = [
    "Cause",
    "Causes",
    "Comparison",
    "ComparisonRow",
    "Gap",
    "Layout",
    "Pairs",
    "Share",
    "Status",
    "StatusCount",
    "Stretch",
    "Validity",
    "causes_of_left_out",
    "causes_of_report",
    "check_validity",
    "compare",
    "match_messages",
    "shares_of",
    "word_diff",
]
