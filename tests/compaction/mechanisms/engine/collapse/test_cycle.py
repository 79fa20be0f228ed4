from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from compaction.mechanisms.engine.collapse import (
    CollapseConfig,
    CollapseReport,
    CollapseState,
    collapse,
    from_records,
    suppresses_auto_compact,
    to_records,
)
from compaction.mechanisms.engine.report import ChangeKind, Outcome
from sessions.transcripts.engine.messages import Message, MessageKind
from sessions.usage.engine.tokens import Limits, estimate
from tests.sessions.transcripts.engine.messages.conversations import conversations
from tests.sessions.transcripts.engine.talk import answered, loop, pairs, same_objects, sent, typed, whole

ON = CollapseConfig(enabled=True)
LIMITS = Limits()  # 180,000 tokens are effective


def summarise(span: Sequence[Message], /) -> str:
    return f"{len(span)} messages, of which the first is {span[0].uuid}"


def two_hours(calls: int = 24, size: int = 20_000) -> list[Message]:
    """A long piece of work in many steps: about 6,700 tokens each."""
    messages = [typed("rework how people log in")]
    for number in range(0, calls, 4):
        messages += [
            *loop(4, size, prefix=f"step{number:02}"),
            answered(f"part {number} is done"),
            typed(f"on {number}"),
        ]
    return messages


def report(outcome: Outcome[CollapseState]) -> CollapseReport:
    assert isinstance(outcome.report, CollapseReport)
    return outcome.report


def test_it_is_off_by_default_and_auto_compact_runs() -> None:
    messages = two_hours()
    assert collapse(messages, summarise=summarise).messages is messages
    assert not suppresses_auto_compact(CollapseConfig())
    assert suppresses_auto_compact(ON)


def test_with_room_to_spare_nothing_is_chosen() -> None:
    messages = two_hours(8)
    result = collapse(messages, ON, limits=LIMITS, summarise=summarise)
    assert result.messages is messages
    assert (result.state.armed, result.state.staged) == (False, ())


def test_from_sixty_per_cent_on_spans_are_chosen_but_not_replaced() -> None:
    messages = two_hours(20)
    result = collapse(messages, ON, limits=LIMITS, summarise=summarise)
    assert result.messages is messages
    assert result.state.armed
    assert result.state.last_spawn_tokens == estimate(messages)
    assert len(report(result).staged) == 5
    assert [item.score for item in result.state.staged] == sorted(
        (item.score for item in result.state.staged), reverse=True
    )


def test_spans_are_not_chosen_anew_before_the_context_has_grown() -> None:
    first = collapse(two_hours(20), ON, limits=LIMITS, tokens=120_000)
    same = collapse(two_hours(24), ON, first.state, limits=LIMITS, tokens=129_999)
    anew = collapse(two_hours(24), ON, first.state, limits=LIMITS, tokens=130_000)
    assert same.state == first.state
    assert anew.state.last_spawn_tokens == 130_000
    assert len(anew.state.staged) > len(first.state.staged)


def test_from_eighty_five_per_cent_on_the_best_are_replaced_until_the_target_is_reached() -> None:
    messages = two_hours()
    result = collapse(messages, ON, limits=LIMITS, summarise=summarise)
    assert 153_000 <= result.report.tokens_before < 180_000
    assert 80_000 < result.report.tokens_after <= 108_000
    assert result.report.tokens_after == estimate(result.messages)
    assert len(report(result).committed) == len(result.state.commits) == 2
    assert [item for item in messages if item.kind is MessageKind.PROMPT] == [
        item for item in result.messages if item.kind is MessageKind.PROMPT
    ]
    assert [change.kind for change in result.report.changes].count(ChangeKind.ADDED) == 2


def test_without_a_summary_nothing_is_replaced() -> None:
    messages = two_hours()
    result = collapse(messages, ON, limits=LIMITS)
    assert result.messages is messages
    assert "have no summary" in result.report.why


def test_a_summary_that_was_written_before_is_used() -> None:
    staged = collapse(two_hours(20), ON, limits=LIMITS).state
    first, *others = staged.staged
    state = replace(staged, staged=(replace(first, summary="written in time"), *others))
    result = collapse(two_hours(20), ON, state, limits=LIMITS, tokens=155_000)
    assert [item.summary for item in result.state.commits] == ["written in time"]
    assert len(result.state.staged) == 4


def test_a_summary_that_is_larger_than_its_span_is_not_taken() -> None:
    messages = two_hours()
    assert collapse(messages, ON, limits=LIMITS, summarise=lambda span: "x" * 200_000).messages is messages


def test_beyond_the_threshold_poor_spans_go_too() -> None:
    picky = CollapseConfig(enabled=True, least_score=1.0)
    messages = two_hours()
    assert not collapse(messages, picky, limits=LIMITS, tokens=160_000, summarise=summarise).state.commits
    assert collapse(messages, picky, limits=LIMITS, tokens=167_000, summarise=summarise).state.commits


def test_a_commit_is_replayed_with_the_same_bytes_while_work_goes_on() -> None:
    first = collapse(two_hours(), ON, limits=LIMITS, summarise=summarise)
    more = [*two_hours(), answered("more")]
    second = collapse(more, ON, from_records(to_records(first.state, "session")), limits=LIMITS)
    assert sent(second.messages[:-1]) == sent(first.messages)
    assert report(second).committed == ()


def test_dropping_a_commit_brings_its_messages_back() -> None:
    messages = two_hours()
    result = collapse(messages, ON, limits=LIMITS, summarise=summarise)
    item, other = result.state.commits
    first = collapse(messages, ON, result.state.without(item.collapse_id), limits=LIMITS, tokens=0)
    assert first.state.commits == (other,)
    none = collapse(messages, ON, first.state.without(other.collapse_id), limits=LIMITS, tokens=0)
    assert none.messages is messages


@given(conversations(turns=6), st.sampled_from([2_000, 20_000, 60_000]))
def test_collapse_keeps_pairs_and_counts_tokens_in_any_conversation(messages: list[Message], window: int) -> None:
    config = CollapseConfig(enabled=True, keep_tokens=500, least=300, most=5_000, least_score=0.0)
    limits = Limits(window=window + 20_000, buffer=0)
    result = collapse(messages, config, limits=limits, summarise=summarise)
    assert whole(result.messages)
    assert pairs(result.messages)[0] - pairs(result.messages)[1] <= pairs(messages)[0] - pairs(messages)[1]
    assert same_objects(messages, result.messages, {item.summary_uuid for item in result.state.commits})
    assert result.report.tokens_after == estimate(result.messages) <= result.report.tokens_before == estimate(messages)
    assert report(result).skipped == ()
    saved = CollapseState.from_json(json.loads(json.dumps(result.state.to_json())))
    read = from_records(json.loads(json.dumps(to_records(result.state, "session"))))
    for state in (saved, read):
        second = collapse(messages, config, state, limits=limits, tokens=0)
        assert sent(second.messages) == sent(result.messages)
    undone = result.state
    for commit in result.state.commits:
        undone = undone.without(commit.collapse_id)
    assert collapse(messages, config, undone, limits=limits, tokens=0).messages is messages
