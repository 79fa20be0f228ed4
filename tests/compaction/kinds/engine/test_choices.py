from __future__ import annotations

from typing import Any

import pytest

from compaction.kinds.engine import KindError, KindSpec, Parameters, apply_kind
from compaction.kinds.engine.choices import Pivot, pivot_near, pivot_of, turn_choices
from compaction.kinds.engine.specs.full import FULL
from compaction.kinds.engine.specs.partial import PARTIAL_UP_TO
from compaction.kinds.engine.token_cost import RequestWeigher
from compaction.mechanisms.engine.compaction.boundary import Direction
from compaction.mechanisms.engine.partial.pivots import legal_pivots
from compaction.mechanisms.engine.pipeline import Effects
from sessions.transcripts.engine.messages import Message, read_messages, replace_fields
from sessions.usage.engine.price_forecast import Weight as RequestWeight
from sessions.usage.engine.price_forecast import forecast_price
from sessions.usage.engine.tokens import estimate
from sessions.weights.engine import Basis, PromptSize, Rates, Weight
from sessions.weights.engine.message_weights import MessageWeights

HEAD = Weight(1_000, Basis.APPORTIONED)
WEIGHTS = MessageWeights(PromptSize(Weight(0, Basis.ESTIMATED), HEAD), Rates("claude-opus-5"))


def talk() -> list[Message]:
    call = {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "tides.csv"}}
    open_call = {"type": "tool_use", "id": "toolu_2", "name": "Read", "input": {"file_path": "moon.csv"}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "x" * 3000}
    array: list[dict[str, Any]] = [
        {"role": "user", "content": "what do\nthe tides do?"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": "they rise " * 200},
        {"role": "user", "content": "and the moon?"},
        {"role": "assistant", "content": [open_call]},
    ]
    return [replace_fields(message, position=10 * index) for index, message in enumerate(read_messages(array))]


def test_turns_tell_their_words_their_size_and_why_they_stay() -> None:
    first, second = turn_choices(talk(), lambda message: Weight(estimate([message]), Basis.ESTIMATED))
    assert (first.words, first.stays, first.position) == ("what do the tides do?", "", 0)
    assert first.weight == Weight(estimate(talk()[:4]), Basis.ESTIMATED)
    assert len(first.messages) == 4
    assert second.stays == "It is not finished."


def test_a_cut_is_moved_to_where_more_is_kept() -> None:
    messages = talk()
    result, answer, prompt = (messages[index].uuid for index in (2, 3, 4))
    assert pivot_of(messages, prompt, Direction.UP_TO) == Pivot(prompt)
    assert pivot_of(messages, result, Direction.FROM) == Pivot(answer, "a tool call would lose its result")
    assert pivot_of(messages, messages[0].uuid, Direction.UP_TO) == Pivot("", "nothing would be left on one side")
    with pytest.raises(KindError, match="needs a pivot"):
        pivot_of(messages, "", Direction.FROM)
    with pytest.raises(KindError, match="may have left it already"):
        pivot_of(messages, "somebody", Direction.FROM)


def test_the_nearest_place_for_a_cut_is_a_legal_one() -> None:
    messages = talk()
    for direction in Direction:
        for position in (-5, 0, 21, 33, 400):
            assert pivot_near(messages, position, direction) in legal_pivots(messages, direction)
        assert pivot_near(messages[:1], 0, direction) == ""


def test_weighing_goes_through_it_without_asking_anybody() -> None:
    messages = read_messages(
        [{"role": role, "content": "how high is the water? " * 200} for _ in range(6) for role in ("user", "assistant")]
    )
    weigher = RequestWeigher(WEIGHTS)
    result = apply_kind(FULL, messages, effects=Effects(summarise=weigher), now=0.0)
    assert result.done
    assert not result.mechanical
    assert [weight.output for weight in weigher.weights] == [20_000]
    direct = RequestWeigher(WEIGHTS)
    plain = Parameters(settings={"fork": "off"})
    longer = Parameters(settings={"fork": "off"}, instructions="Mind the moon. " * 400)
    apply_kind(FULL, messages, plain, effects=Effects(summarise=direct), now=0.0)
    apply_kind(FULL, messages, longer, effects=Effects(summarise=direct), now=0.0)
    assert direct.weights[0].input < weigher.weights[0].input
    assert WEIGHTS.size(messages).messages.tokens < direct.weights[0].input < direct.weights[1].input


@pytest.mark.parametrize("kind", [FULL, PARTIAL_UP_TO])
def test_a_fork_shares_all_but_its_own_message_with_the_session(kind: KindSpec) -> None:
    messages = read_messages(
        [{"role": role, "content": "how high is the water? " * 200} for _ in range(6) for role in ("user", "assistant")]
    )
    weigher = RequestWeigher(WEIGHTS)
    apply_kind(kind, messages, Parameters(pivot=messages[6].uuid), effects=Effects(summarise=weigher), now=0.0)
    (weight,) = weigher.weights
    shared = WEIGHTS.size(messages[:6] if kind is PARTIAL_UP_TO else messages).weight
    assert weight.shared == round(shared.tokens)
    price = forecast_price("claude-opus-5", weigher.weights)
    assert price.shared == weight.shared
    assert price.cached is not None
    assert price.least is not None
    assert price.cached == pytest.approx(price.least - weight.shared * 4.5e-6)


def test_a_direct_request_shares_nothing() -> None:
    messages = read_messages([{"role": "user", "content": "how high?"}, {"role": "assistant", "content": "4 m"}])
    weigher = RequestWeigher(WEIGHTS)
    plain = Parameters(settings={"fork": "off"})
    apply_kind(FULL, messages, plain, effects=Effects(summarise=weigher), now=0.0)
    assert [weight.shared for weight in weigher.weights] == [0]


def test_a_price_is_known_or_unknown_as_a_whole() -> None:
    weights = [RequestWeight(1_000_000, 20_000), RequestWeight(500_000, 20_000)]
    price = forecast_price("claude-opus-5", weights)
    assert (price.requests, price.input, price.output) == (2, 1_500_000, 40_000)
    assert price.least == pytest.approx(7.5)
    assert price.most == pytest.approx(8.5)
    assert (forecast_price("kelp-coder-32b", weights).least, forecast_price("kelp-coder-32b", weights).most) == (
        None,
        None,
    )
    assert forecast_price("kelp-coder-32b", []).least == 0
