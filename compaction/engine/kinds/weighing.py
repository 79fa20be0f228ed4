"""What a model would be asked and what that would cost, found out by going through it without asking anybody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from compaction.engine.full.request import OUTPUT_CAP, Path, SummaryRequest
from compaction.engine.mechanical import Mechanical
from sessions.engine.messages import text_block
from sessions.engine.prices import cost_of
from sessions.engine.tokens import estimate, estimate_blocks
from sessions.engine.usage import Usage


@dataclass(frozen=True, slots=True)
class Weight:
    """Of one request, in tokens."""

    input: int
    output: int
    """The answer, at most. A fork has no limit of its own; summaries rarely are longer than this."""


@dataclass(slots=True)
class Weighing:
    """In the place of a model: notes what it is asked and answers mechanically, so that the work goes on."""

    overhead: int = 0
    """Tokens of the session's system prompt and tools, which a fork sends too."""
    weights: list[Weight] = field(default_factory=list)
    answers: Mechanical = field(default_factory=Mechanical)

    def __call__(self, request: SummaryRequest, /) -> str:
        beside = self.overhead if request.path is Path.FORK else estimate_blocks([text_block(request.system or "")])
        sent = estimate(request.messages) + beside
        self.weights.append(Weight(sent, request.max_output_tokens or OUTPUT_CAP))
        return self.answers(request)


@dataclass(frozen=True, slots=True)
class Price:
    """In dollars. None: the price of the model is not known."""

    requests: int
    input: int
    output: int
    least: float | None
    """Of what is sent."""
    most: float | None
    """With answers as long as they may be."""


def price_of(model: str, weights: Sequence[Weight]) -> Price:
    """At the full price of what is sent: how much of it comes out of a cache, nobody can tell beforehand."""
    sent = [cost_of(model, Usage(one.input, 0, 0, 0, 0)) for one in weights]
    whole = [cost_of(model, Usage(one.input, 0, 0, 0, one.output)) for one in weights]
    return Price(
        len(weights),
        sum(one.input for one in weights),
        sum(one.output for one in weights),
        _sum(sent),
        _sum(whole),
    )


def _sum(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None
