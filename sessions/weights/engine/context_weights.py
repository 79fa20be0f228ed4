"""What the parts of one context weigh: measured with its conversation, otherwise estimated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sessions.weights.engine.conversation import PartKey
from sessions.weights.engine.ledger import LEAST_OF_ESTIMATE, MOST_OF_ESTIMATE, SLACK, Part
from sessions.weights.engine.prompt_size import PromptSize
from sessions.weights.engine.rates import Factors, Rates
from sessions.weights.engine.table import WeightTable
from sessions.weights.engine.weight import Basis, Weight, combine


@dataclass(frozen=True, slots=True)
class ContextWeights:
    messages: tuple[tuple[Weight, ...], ...]
    """By message and block."""
    head: Weight | None
    """System prompt, tools, and what the client adds before the messages; None if nothing tells its size."""
    unrecorded: float
    """Counted by the API, and in no part."""
    counted: int | None
    """The whole prompt, by the API."""
    model: str = ""
    has_usual_window: bool = False
    """The session shows that its client used the usual window."""
    factors: Factors = ()
    attached: float = 0.0
    """Of what is in no part, what came with a compaction."""

    @property
    def size(self) -> PromptSize:
        messages = combine(weight for weights in self.messages for weight in weights)
        return PromptSize(messages, self.head, self.unrecorded, self.counted)


def weigh_context(
    messages: Sequence[Sequence[Part]], table: WeightTable, *, model: str, position: int, counted: int | None = None
) -> ContextWeights:
    """`position`: where its answer stands, or would. `counted`: the prompt, if the API has counted this request."""
    weights = _weigh_parts(messages, table, model, position, counted)
    return replace(weights, has_usual_window=table.has_usual_window, factors=table.model_factors(model))


def _weigh_parts(
    messages: Sequence[Sequence[Part]], table: WeightTable, model: str, position: int, counted: int | None
) -> ContextWeights:
    rates = Rates(model, table.model_factors(model))
    weights = [[_weigh(part, table, position, rates) for part in parts] for parts in messages]
    known = table.request(position)
    total = sum(weight.tokens for row in weights for weight in row)
    if known is None:
        head = None if counted is None else Weight(max(0.0, counted - total), Basis.APPORTIONED)
        return _fit(ContextWeights(_freeze(weights), head, 0.0, counted, model))
    if counted is None:
        return ContextWeights(_freeze(weights), known.head, known.unrecorded, None, model, attached=known.attached)
    surplus = counted - known.head.tokens - known.unrecorded - total
    estimated = [
        (row, column)
        for row, values in enumerate(weights)
        for column, weight in enumerate(values)
        if weight.basis is Basis.ESTIMATED
    ]
    guess = sum(weights[row][column].tokens for row, column in estimated)
    if guess and LEAST_OF_ESTIMATE * guess <= guess + surplus <= MOST_OF_ESTIMATE * guess + SLACK:
        for row, column in estimated:
            weights[row][column] = Weight(weights[row][column].tokens * (guess + surplus) / guess, Basis.APPORTIONED)
        surplus = 0.0
    unrecorded = max(0.0, known.unrecorded + surplus)
    attached = min(known.attached, unrecorded)
    return _fit(ContextWeights(_freeze(weights), known.head, unrecorded, counted, model, attached=attached))


def _fit(weights: ContextWeights) -> ContextWeights:
    """Scales down parts that together weigh more than the API counted."""
    if weights.head is None or weights.counted is None:
        return weights
    parts = weights.head.tokens + sum(weight.tokens for row in weights.messages for weight in row)
    if parts + weights.unrecorded <= weights.counted + 0.5:
        return weights
    share = weights.counted / parts if parts else 0.0
    messages = tuple(
        tuple(Weight(weight.tokens * share, Basis.APPORTIONED) for weight in row) for row in weights.messages
    )
    return replace(
        weights,
        messages=messages,
        head=Weight(weights.head.tokens * share, Basis.APPORTIONED),
        unrecorded=0.0,
        attached=0.0,
    )


def _weigh(part: Part, table: WeightTable, position: int, rates: Rates) -> Weight:
    assert isinstance(part.key, PartKey)
    measured = table.weight(part.key, position)
    return Weight(rates.estimate(part.features), Basis.ESTIMATED) if measured is None else measured


def _freeze(weights: list[list[Weight]]) -> tuple[tuple[Weight, ...], ...]:
    return tuple(tuple(row) for row in weights)
