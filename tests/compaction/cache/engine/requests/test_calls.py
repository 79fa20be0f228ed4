from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from compaction.cache.engine.requests.calls import LIMITS, Call, find_drops, has_dropped
from tests.compaction.cache.engine.request_bodies import HAIKU, SONNET, call


def _drops(*calls: Call) -> list[tuple[str, str]]:
    return [(drop.previous.message_id, drop.call.message_id) for drop in find_drops(calls)]


def test_a_fall_by_both_thresholds_is_a_drop() -> None:
    assert _drops(call(50_000, at=1), call(40_000, at=2)) == [("msg_1", "msg_2")]


def test_a_fall_of_two_thousand_tokens_is_none() -> None:
    assert _drops(call(20_000, at=1), call(18_000, at=2)) == []
    assert len(_drops(call(20_000, at=1), call(17_999, at=2))) == 1


def test_a_fall_of_a_twentieth_is_none() -> None:
    assert _drops(call(100_000, at=1), call(95_000, at=2)) == []
    assert len(_drops(call(100_000, at=1), call(94_999, at=2))) == 1


def test_what_was_written_and_not_read_is_no_drop() -> None:
    """The naive rule would flag it: less was read than had been read and written."""
    assert _drops(call(10_000, 90_000, at=1), call(10_000, 95_000, at=2)) == []


def test_requests_of_another_source_are_not_compared() -> None:
    calls = [
        call(50_000, at=1),
        call(0, 9_000, at=2, source="agent"),
        call(50_500, at=3),
        call(9_000, at=4, source="agent"),
    ]
    assert _drops(*calls) == []


def test_a_request_of_haiku_is_a_break_only_if_the_switch_read_nothing_but_may_come_before_one() -> None:
    calls = [call(50_000, at=1, model=SONNET), call(0, 50_000, at=2, model=HAIKU), call(50_000, at=3, model=HAIKU)]
    assert _drops(*calls, call(9_000, 40_000, at=4)) == [("msg_1", "msg_2"), ("msg_3", "msg_4")]
    assert _drops(*calls, call(9_000, 40_000, at=4, model=HAIKU)) == [("msg_1", "msg_2")]


def test_a_copy_may_come_before_a_break_but_is_none() -> None:
    calls = [call(50_000, at=1, copied=True), call(9_000, at=2, copied=True), call(50_000, at=3, copied=True)]
    assert _drops(*calls, call(0, 50_000, at=4)) == [("msg_3", "msg_4")]


def test_an_answer_without_counts_is_passed_over() -> None:
    assert _drops(call(50_000, at=1), call(0, 0, at=2, fresh=0), call(50_400, at=3)) == []


@given(st.lists(st.tuples(st.integers(0, 200_000), st.integers(0, 50_000), st.sampled_from("ab")), max_size=30))
def test_every_drop_has_both_thresholds_and_the_latest_of_its_source_before_it(
    given: list[tuple[int, int, str]],
) -> None:
    calls = [call(read, written, at=index, source=source) for index, (read, written, source) in enumerate(given)]
    for drop in find_drops(calls):
        assert drop.previous.source == drop.call.source
        assert drop.lost > LIMITS.min_tokens
        assert drop.lost > drop.previous.read * LIMITS.min_share
        between = [c for c in calls[drop.previous.position + 1 : drop.call.position] if c.prompt]
        assert all(c.source != drop.call.source for c in between)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_reading_more_is_never_a_fall(before: int, more: int) -> None:
    assert not has_dropped(before, before + more)
