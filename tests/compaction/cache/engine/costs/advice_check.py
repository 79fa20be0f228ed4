"""Whether advice on the lifetime of the cache fits what a session paid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from compaction.cache.engine.costs.ttl_advice import TtlAdvice, advise_ttl
from compaction.cache.engine.requests.calls import Call
from sessions.text.engine.words import money
from sessions.usage.engine.prices import cost_of


def check_advice(calls: Sequence[Call], causes: Mapping[str, str]) -> TtlAdvice:
    """What is called cheaper is cheaper, by as much as is said; what is not named would have cost at least as much."""
    advice = advise_ttl(calls, causes)
    costs = [cost_of(call.model, call.usage) for call in calls if call.prompt and not call.copied]
    paid = sum(cost for cost in costs if cost is not None)
    if advice.cost_5m is None or advice.cost_1h is None or not advice.used:
        assert advice.saves is None
        assert "cheaper" not in advice.sentence
        return advice
    assert f"Its requests cost {money(paid)}." in advice.sentence
    foretold = {"5m": advice.cost_5m, "1h": advice.cost_1h}
    if advice.better == advice.used:
        assert advice.saves == 0
        assert "what was used is the cheapest" in advice.sentence
        assert paid <= min(foretold.values()) + 1e-9
    else:
        assert "would have been cheaper" in advice.sentence
        assert advice.saves == pytest.approx(paid - foretold[advice.better])
        assert foretold[advice.better] < paid
        assert foretold[advice.better] == min(foretold.values())
    return advice
