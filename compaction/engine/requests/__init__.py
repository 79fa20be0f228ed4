"""Two requests part by part: parameters, tools, system prompt, and messages as they were sent."""

from __future__ import annotations

from compaction.engine.requests.differences import Part, Row, Status, differences_of
from compaction.engine.requests.sent import as_sent
from compaction.engine.requests.shown import ShownDifference, shown_parts
from compaction.engine.requests.telling import Verdict, verdict_of

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
