"""What a model would be asked, found out by going through it without asking anybody."""

from __future__ import annotations

from dataclasses import dataclass, field

from compaction.mechanisms.engine.full.request import OUTPUT_CAP, RequestPath, SummaryRequest
from compaction.mechanisms.engine.mechanical import Mechanical
from sessions.transcripts.engine.messages import text_block
from sessions.usage.engine.price_forecast import Weight
from sessions.usage.engine.tokens import estimate, estimate_blocks


@dataclass(slots=True)
class Weighing:
    """In the place of a model: notes what it is asked and answers mechanically, so that the work goes on."""

    overhead: int = 0
    """Tokens of the session's system prompt and tools, which a fork sends too."""
    weights: list[Weight] = field(default_factory=list)
    answers: Mechanical = field(default_factory=Mechanical)

    def __call__(self, request: SummaryRequest, /) -> str:
        beside = (
            self.overhead if request.path is RequestPath.FORK else estimate_blocks([text_block(request.system or "")])
        )
        sent = estimate(request.messages) + beside
        self.weights.append(Weight(sent, request.max_output_tokens or OUTPUT_CAP))
        return self.answers(request)
