"""Models that summarise as a test wants them to, and remember what they were asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from compaction.mechanisms.engine.full.request import SummaryRequest

SUMMARY = "1. Primary Request and Intent:\n   To have it done."
REPLY = f"<analysis>a draft</analysis>\n<summary>\n{SUMMARY}\n</summary>"


@dataclass(slots=True)
class Model:
    """Answers with the replies in turn, the last one for ever. An exception among them is raised."""

    replies: list[str | Exception] = field(default_factory=lambda: [REPLY])
    requests: list[SummaryRequest] = field(default_factory=list)
    look: Callable[[SummaryRequest], None] = lambda request: None

    def __call__(self, request: SummaryRequest, /) -> str:
        self.requests.append(request)
        self.look(request)
        reply = self.replies[min(len(self.requests), len(self.replies)) - 1]
        if isinstance(reply, Exception):
            raise reply
        return reply
