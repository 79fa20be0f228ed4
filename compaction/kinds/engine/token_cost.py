"""Estimates the price of a summary by running the compaction without asking a model."""

from __future__ import annotations

from dataclasses import dataclass, field

from compaction.mechanisms.engine.full.request import OUTPUT_CAP, RequestPath, SummaryRequest
from compaction.mechanisms.engine.mechanical import MechanicalSummariser
from sessions.usage.engine.price_forecast import Weight
from sessions.weights.engine import estimate_text
from sessions.weights.engine.message_weights import MessageWeights


@dataclass(slots=True)
class RequestWeigher:
    """Stands in for a model: estimates each request, and answers mechanically so that the work continues."""

    measured: MessageWeights
    """Of the context that is compacted."""
    weights: list[Weight] = field(default_factory=list)
    answers: MechanicalSummariser = field(default_factory=MechanicalSummariser)

    def __call__(self, request: SummaryRequest, /) -> str:
        """A fork sends what the session sent, up to the cut, and one more message."""
        size = self.measured.size(request.messages[:-1])
        own = self.measured.message(request.messages[-1]).tokens
        is_fork = request.path is RequestPath.FORK
        shared = size.weight.tokens if is_fork else 0.0
        sent = own + (shared or size.messages.tokens + estimate_text(request.system or "", self.measured.rates.model))
        self.weights.append(Weight(round(sent), request.max_output_tokens or OUTPUT_CAP, round(shared)))
        return self.answers(request)
