"""Estimates the price of a summary by running the compaction without asking a model."""

from __future__ import annotations

from dataclasses import dataclass, field

from compaction.mechanisms.engine.full.request import OUTPUT_CAP, RequestPath, SummaryRequest
from compaction.mechanisms.engine.mechanical import MechanicalSummariser
from sessions.transcripts.engine.messages import text_block
from sessions.usage.engine.price_forecast import Weight
from sessions.usage.engine.tokens import estimate, estimate_blocks


@dataclass(slots=True)
class RequestWeigher:
    """Stands in for a model: estimates each request, and answers mechanically so that the work continues."""

    overhead: int = 0
    """Tokens of the session's system prompt and tools, which a fork sends too."""
    weights: list[Weight] = field(default_factory=list)
    answers: MechanicalSummariser = field(default_factory=MechanicalSummariser)

    def __call__(self, request: SummaryRequest, /) -> str:
        system_tokens = (
            self.overhead if request.path is RequestPath.FORK else estimate_blocks([text_block(request.system or "")])
        )
        sent = estimate(request.messages) + system_tokens
        # A fork sends what the session sent, up to the cut, and one more message.
        shared = sent - estimate(request.messages[-1:]) if request.path is RequestPath.FORK else 0
        self.weights.append(Weight(sent, request.max_output_tokens or OUTPUT_CAP, shared))
        return self.answers(request)
