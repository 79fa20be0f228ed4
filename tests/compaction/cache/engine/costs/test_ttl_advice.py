from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compaction.cache.engine.causes.cause_names import CauseName
from compaction.cache.engine.costs.ttl_advice import advise_ttl
from compaction.cache.engine.requests.calls import MINUTE, Call
from sessions.usage.engine.prices import cost_of
from sessions.usage.engine.usage import Usage
from tests.compaction.cache.engine.costs.advice_check import check_advice
from tests.compaction.cache.engine.request_bodies import call

MODELS = ("claude-opus-5-5", "claude-haiku-4-5", "kelp-coder-32b")
PER = 4e-6
WRITE, HOUR, READ = 1.25 * PER, 2 * PER, 0.05 * PER


def test_an_hour_pays_if_pauses_made_the_session_write_everything_again() -> None:
    calls = [call(0, 100_000, at=index, fresh=0) for index in (0, 10, 20, 30)]
    result = advise_ttl(calls, {f"msg_{index}": CauseName.TTL_5M for index in (10, 20, 30)})

    output = 4 * 10 * 20e-6
    assert result.pauses == 3
    assert result.cost_5m == pytest.approx(400_000 * WRITE + output)
    assert result.cost_1h == pytest.approx(100_000 * HOUR + 300_000 * READ + output)
    assert (result.used, result.better) == ("5m", "1h")
    assert result.saves == pytest.approx(400_000 * WRITE - 100_000 * HOUR - 300_000 * READ)
    assert "one hour would have been cheaper" in result.sentence


def test_an_hour_does_not_pay_without_pauses() -> None:
    calls = [call(index * 10_000, 10_000, at=index, fresh=0) for index in range(4)]
    result = advise_ttl(calls, {})
    assert (result.better, result.saves) == ("5m", 0.0)
    assert result.cost_1h == pytest.approx(40_000 * HOUR + 60_000 * READ + 4 * 10 * 20e-6)


def test_pauses_longer_than_an_hour_are_lost_either_way() -> None:
    calls = [call(0, 100_000, at=0, fresh=0), call(0, 100_000, at=90, fresh=0)]
    result = advise_ttl(calls, {"msg_90": CauseName.TTL_5M})
    assert (result.pauses, result.better) == (0, "5m")


def test_with_an_hour_five_minutes_are_foretold() -> None:
    calls = [call(0, 100_000, at=0, fresh=0, hour=True), call(100_000, 0, at=10, fresh=0, hour=True)]
    calls.append(call(100_000, 1_000, at=11, fresh=0, hour=True))
    result = advise_ttl(calls, {})
    assert result.used == "1h"
    assert result.cost_1h == pytest.approx(101_000 * HOUR + 200_000 * READ + 3 * 10 * 20e-6)


def test_a_pause_beside_another_cause_is_not_counted_for_it() -> None:
    calls = [call(0, 100_000, at=0), call(0, 100_000, at=10)]
    assert advise_ttl(calls, {"msg_10": CauseName.TOOLS}).pauses == 0


def test_an_hour_that_was_used_has_cost_what_was_paid_although_the_cache_was_lost() -> None:
    calls = [call(0, 100_000, at=0, fresh=0, hour=True), call(0, 100_000, at=10, fresh=0, hour=True)]
    advice = check_advice(calls, {})
    assert (advice.used, advice.better) == ("1h", "5m")
    assert advice.saves == pytest.approx(200_000 * (HOUR - WRITE))
    assert advice.cost_1h == pytest.approx(200_000 * HOUR + 2 * 10 * 20e-6)


def test_two_lifetimes_that_are_cheaper_together_than_either_alone_are_not_advised_against() -> None:
    calls = [
        call(0, 100_000, at=0, fresh=0, hour=True),
        call(100_000, 1_000, at=10, fresh=0, hour=True),
        *(call(100_000 + number * 10_000, 10_000, at=11 + number, fresh=0) for number in range(1, 40)),
    ]
    advice = advise_ttl(calls, {})
    paid = sum(cost_of(request.model, request.usage) or 0.0 for request in calls)
    assert advice.cost_5m is not None
    assert advice.cost_1h is not None
    assert paid < min(advice.cost_5m, advice.cost_1h)
    assert (advice.used, advice.better, advice.saves) == ("mixed", "mixed", 0.0)
    assert "would have been cheaper" not in advice.sentence
    assert "what was used is the cheapest" in advice.sentence


@st.composite
def sessions(draw: st.DrawFn) -> tuple[list[Call], dict[str, str]]:
    """Any usage, as no cache would count it: lifetimes mixed, pauses of all lengths, several threads and models."""
    calls, index = [], 0
    for number in range(draw(st.integers(1, 12))):
        index += draw(st.sampled_from((0, 1, 4, 6, 30, 59, 61, 600)))
        tokens = [draw(st.integers(0, 300_000)) for _ in range(4)]
        usage = Usage(tokens[0] // 100, tokens[1], tokens[2] // 10, tokens[3] // 10, 10)
        source, model = draw(st.sampled_from(("main", "agent"))), draw(st.sampled_from(MODELS))
        calls.append(Call(f"msg_{number}", source, model, number, index * MINUTE, usage, draw(st.booleans())))
    causes = draw(
        st.dictionaries(st.sampled_from([item.message_id for item in calls]), st.sampled_from(list(CauseName)))
    )
    return calls, {name: str(cause) for name, cause in causes.items()}


@given(sessions())
def test_advice_never_contradicts_what_was_paid(session: tuple[list[Call], dict[str, str]]) -> None:
    check_advice(*session)


def test_models_without_a_price_give_no_advice() -> None:
    result = advise_ttl([call(0, 10_000, model="kelp-coder-32b")], {})
    assert (result.cost_5m, result.cost_1h, result.saves) == (None, None, None)
    assert "No price" in result.sentence
