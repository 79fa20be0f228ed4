from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compaction.mechanisms.engine.microcompact.clearable import CLEARED, clearable_results
from compaction.mechanisms.engine.microcompact.timed import ClearingReport, TimedConfig, TimedState, timed_microcompact
from compaction.mechanisms.engine.report import Outcome
from sessions.transcripts.engine.messages import Message, MessageKind
from sessions.usage.engine.tokens import estimate
from tests.sessions.transcripts.engine.messages.conversations import conversations
from tests.sessions.transcripts.engine.talk import (
    NOON,
    answered,
    call,
    content,
    loop,
    pairs,
    returned,
    same_objects,
    sent,
    typed,
)

ON = TimedConfig(enabled=True)
LATER = NOON + 70 * 60


def lunch() -> list[Message]:
    """Three tools, an hour and ten minutes away, and on with another question."""
    return [
        typed("what is in this project?"),
        answered("the folder first", call("toolu_01", "Glob", pattern="**/*.ts")),
        returned(("toolu_01", "src/index.ts\n" * 147)),
        answered("the entry", call("toolu_02", "Read", file_path="src/index.ts")),
        returned(("toolu_02", "import\n" * 600)),
        answered("and the settings", call("toolu_03", "Grep", pattern="loadConfig", path="src/")),
        returned(("toolu_03", "src/config.ts:12\n" * 8)),
        answered("which part next?"),
        typed("the login"),
    ]


def report(outcome: Outcome[TimedState]) -> ClearingReport:
    assert isinstance(outcome.report, ClearingReport)
    return outcome.report


def test_after_lunch_all_but_the_latest_two_results_are_cleared() -> None:
    messages = lunch()
    result = timed_microcompact(messages, TimedConfig(enabled=True, keep=2), now=LATER)
    assert content(result.messages, "toolu_01") == CLEARED
    assert [left is right for left, right in zip(result.messages, messages, strict=True)].count(False) == 1
    assert report(result).cleared_anew
    assert result.state.cleared == {"toolu_01"}
    assert result.report.tokens_after == estimate(result.messages) < estimate(messages)
    (pointer,) = report(result).pointers
    assert (pointer.uuid, pointer.tool_use_id, pointer.again) == (
        messages[2].uuid,
        "toolu_01",
        "Look for **/*.ts again.",
    )


@pytest.mark.parametrize(
    ("gap", "why"),
    [(60, "after more than 60 minutes the cache is cold anyway"), (0, "all but the latest 2, which stay")],
)
def test_it_speaks_of_a_pause_only_where_it_waits_for_one(gap: float, why: str) -> None:
    result = timed_microcompact(lunch(), TimedConfig(enabled=True, keep=2, gap_minutes=gap), now=LATER)
    assert result.report.why == f"1 old result was cleared: {why}."


def test_it_is_off_by_default() -> None:
    messages = lunch()
    assert timed_microcompact(messages, now=LATER).messages is messages


def test_exactly_an_hour_is_not_more_than_an_hour() -> None:
    messages = [*loop(7), answered("done")]
    assert timed_microcompact(messages, ON, now=NOON + 3600).messages is messages
    assert report(timed_microcompact(messages, ON, now=NOON + 3601)).cleared_anew


def test_five_results_stay_by_default() -> None:
    result = timed_microcompact([*loop(7), answered("done")], ON, now=LATER)
    assert result.state.cleared == {"toolu_00", "toolu_01"}


@pytest.mark.parametrize("keep", [1, 0, -3])
def test_at_least_one_result_stays(keep: int) -> None:
    result = timed_microcompact([*loop(3), answered("done")], TimedConfig(enabled=True, keep=keep), now=LATER)
    assert result.state.cleared == {"toolu_00", "toolu_01"}


def test_only_the_main_thread_clears() -> None:
    messages = loop(9)
    assert timed_microcompact(messages, ON, now=LATER, main_thread=False).messages is messages


def test_results_of_mcp_tools_stay() -> None:
    messages = loop(9, tool="mcp__notes__read")
    assert timed_microcompact(messages, ON, now=LATER).messages is messages


def test_without_an_answer_whose_time_is_known_nothing_is_cleared() -> None:
    messages = [typed("hello")]
    assert timed_microcompact(messages, ON, now=LATER).messages is messages


def test_what_was_cleared_stays_cleared_while_work_goes_on() -> None:
    first = timed_microcompact([*loop(7), answered("done")], ON, now=LATER)
    more = [*loop(7), answered("done"), *loop(3, prefix="new", at=LATER)]
    second = timed_microcompact(more, ON, first.state, now=LATER + 60)
    assert sent(second.messages[:15]) == sent(first.messages)
    assert not report(second).cleared_anew
    assert second.state == first.state


def test_results_that_are_brought_back_have_their_text_again() -> None:
    messages = [*loop(7), answered("done")]
    first = timed_microcompact(messages, ON, now=LATER)
    undone = first.state.without(frozenset({"toolu_00"}))
    second = timed_microcompact(messages, ON, undone, now=NOON)
    assert content(second.messages, "toolu_00") == "0" * 3000
    assert content(second.messages, "toolu_01") == CLEARED


@given(conversations(), st.integers(-1, 7), st.sampled_from([0.0, 3_700.0, 90_000.0]))
def test_clearing_after_a_pause_keeps_pairs_in_any_conversation(messages: list[Message], keep: int, gap: float) -> None:
    now = max(message.at or 0 for message in messages) + gap
    result = timed_microcompact(messages, TimedConfig(enabled=True, keep=keep), now=now)
    assert pairs(result.messages) == pairs(messages)
    changed = {change.uuid for change in result.report.changes}
    assert same_objects(messages, result.messages, changed)
    assert {message.kind for message in messages if message.uuid in changed} <= {MessageKind.RESULT}
    assert result.report.tokens_after == estimate(result.messages)
    assert result.report.tokens_before == estimate(messages)
    if report(result).cleared_anew:
        assert len(list(clearable_results(result.messages))) == min(
            max(keep, 1), len(list(clearable_results(messages)))
        )
    saved = TimedState.from_json(json.loads(json.dumps(result.state.to_json())))
    assert sent(timed_microcompact(messages, ON, saved, now=0).messages) == sent(result.messages)
    assert sent(timed_microcompact(messages, ON, saved.without(saved.cleared), now=0).messages) == sent(messages)
