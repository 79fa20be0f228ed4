from __future__ import annotations

from hypothesis import given

from compaction.mechanisms.engine.collapse.config import CollapseConfig
from compaction.mechanisms.engine.collapse.spans import find_candidates
from sessions.transcripts.engine.messages import Message, MessageKind
from sessions.transcripts.engine.messages.cuts import find_cuts
from sessions.usage.engine.tokens import estimate, estimate_blocks
from tests.sessions.transcripts.engine.messages.conversations import conversations
from tests.sessions.transcripts.engine.talk import answered, loop, typed

SMALL = CollapseConfig(enabled=True, keep_tokens=1_000, least=500, most=5_000)


def spans(messages: list[Message], config: CollapseConfig = SMALL) -> list[tuple[int, int]]:
    return sorted(
        (candidate.first, candidate.end)
        for candidate in find_candidates(messages, find_cuts(messages), config, estimate_blocks)
    )


def test_spans_end_before_what_people_typed() -> None:
    messages = [typed("one"), *loop(2, prefix="a"), typed("two"), *loop(2, prefix="b"), typed("three"), *loop(1)]
    assert spans(messages) == [(1, 5), (6, 10)]


def test_inputs_can_be_let_go_too() -> None:
    messages = [typed("one"), *loop(1, prefix="a"), typed("two"), *loop(1, prefix="b"), typed("three"), *loop(1)]
    config = CollapseConfig(enabled=True, keep_tokens=1_000, least=500, most=5_000, keep_inputs=False)
    assert spans(messages, config) == [(1, 7)]


def test_what_stands_before_the_first_answer_is_never_let_go() -> None:
    messages = [typed("x" * 20_000), typed("one"), *loop(1, prefix="a"), *loop(1)]
    config = CollapseConfig(enabled=True, keep_tokens=1_000, least=500, most=50_000, keep_inputs=False)
    assert [first for first, _ in spans(messages, config)] == [2]


def test_a_long_run_is_divided() -> None:
    messages = [typed("one"), *loop(8), answered("done"), *loop(1, prefix="b")]
    assert spans(messages) == [(1, 9), (9, 18)]


def test_a_piece_that_cannot_be_cut_may_be_larger() -> None:
    messages = [typed("one"), *loop(1, 30_000), *loop(1, prefix="b")]
    assert spans(messages) == [(1, 3)]


def test_the_latest_part_is_never_touched() -> None:
    assert spans([typed("one"), *loop(1, 2_900)]) == []


def test_small_spans_are_not_worth_it() -> None:
    assert spans([typed("one"), *loop(1, 300, prefix="a"), typed("two"), *loop(2)]) == [(4, 6)]


def test_an_empty_conversation_has_no_spans() -> None:
    assert spans([]) == []


@given(conversations())
def test_spans_lie_between_legal_cuts_and_apart(messages: list[Message]) -> None:
    ranges = spans(messages)
    legal = find_cuts(messages)
    kept_ranges = 0
    for first, end in ranges:
        assert kept_ranges <= first < end
        assert legal.is_legal(first)
        assert legal.is_legal(end)
        assert not any(message.kind in (MessageKind.PROMPT, MessageKind.SUMMARY) for message in messages[first:end])
        assert estimate(messages[end:]) >= SMALL.keep_tokens
        kept_ranges = end
