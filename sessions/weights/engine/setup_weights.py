"""What system prompt and tools weigh, as far as records hold them: what stands before the messages was counted as one,
and is shared out among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sessions.context.engine.certainty import RequestSetup
from sessions.weights.engine.context_weights import ContextWeights
from sessions.weights.engine.features import features_of
from sessions.weights.engine.rates import Rates
from sessions.weights.engine.weight import Basis, Weight


@dataclass(frozen=True, slots=True)
class SetupWeights:
    system: tuple[Weight, ...]
    """By block."""
    tools: tuple[Weight, ...]
    """By tool."""
    rest: Weight
    """Of the head, that no record holds."""


def rest_label(setup: RequestSetup) -> str:
    """What is weighed without a record that holds it."""
    if setup.system is not None:
        return "tool definitions"
    return "system prompt and tools" if setup.tools is None else "system prompt"


def setup_weights(setup: RequestSetup, weights: ContextWeights) -> SetupWeights:
    return share_head(setup, weights.model, weights.head)


def share_head(setup: RequestSetup, model: str, head: Weight | None) -> SetupWeights:
    """`head`: what stands before the messages, if that is known."""
    rates = Rates(model)
    system, tools = _estimate(setup.system, rates), _estimate(setup.tools, rates)
    known = sum(system) + sum(tools)
    rest, factor, basis = 0.0, 1.0, Basis.ESTIMATED
    if head is not None:
        basis = head.basis
        if (setup.system is None or setup.tools is None) and known <= head.tokens:
            rest = head.tokens - known
        elif known:
            factor = head.tokens / known
    return SetupWeights(
        tuple(Weight(tokens * factor, basis) for tokens in system),
        tuple(Weight(tokens * factor, basis) for tokens in tools),
        Weight(rest, basis),
    )


def setup_weight(setup: RequestSetup, model: str) -> Weight | None:
    """System prompt and tools, if records hold both."""
    if setup.system is None or setup.tools is None:
        return None
    rates = Rates(model)
    return Weight(sum(_estimate(setup.system, rates)) + sum(_estimate(setup.tools, rates)), Basis.ESTIMATED)


def _estimate(blocks: Sequence[Mapping[str, Any]] | None, rates: Rates) -> list[float]:
    return [rates.estimate(features_of(block)) for block in blocks or ()]
