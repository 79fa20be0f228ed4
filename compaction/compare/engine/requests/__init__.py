"""Two requests part by part: parameters, tools, system prompt, and messages as they were sent."""

from __future__ import annotations

from compaction.compare.engine.requests.differences import (
    Part,
    Row,
    Status,
    differences_of,
)
from compaction.compare.engine.requests.presentation import ShownDifference, shown_parts
from compaction.compare.engine.requests.sent import as_sent
from compaction.compare.engine.requests.sentence import Verdict, verdict_of

__all__ = [
    "Part",
    "Row",
    "ShownDifference",
    "Status",
    "Verdict",
    "as_sent",
    "differences_of",
    "shown_parts",
    "verdict_of",
]
