"""Two requests part by part: parameters, tools, system prompt, and messages as they were sent."""

from __future__ import annotations

from compaction.compare.engine.requests.differences import DifferenceRow, DifferenceStatus, RequestPart, compare_setups
from compaction.compare.engine.requests.presentation import DifferenceView, view_parts
from compaction.compare.engine.requests.sent import sent_side
from compaction.compare.engine.requests.sentence import Verdict, judge_requests

__all__ = [
    "DifferenceRow",
    "DifferenceStatus",
    "DifferenceView",
    "RequestPart",
    "Verdict",
    "compare_setups",
    "judge_requests",
    "sent_side",
    "view_parts",
]
