from __future__ import annotations

from typing import Any

import pytest

from sessions.agents.engine import Ending, State, judge
from sessions.agents.engine.notices import Notice
from sessions.agents.engine.outcome import ending_of_notice, ending_of_result
from tests.sessions.agents.engine.records import (
    at,
    calls,
    gets,
    hears,
    says,
)


def told(state: State, position: int) -> Ending:
    return Ending(state, "said so", at(position))


def test_a_result_ends_an_agent_and_an_error_fails_it() -> None:
    ended = ending_of_result(gets("t1", "Done", status="completed"), "t1", at(5))
    failed = ending_of_result(gets("t1", "Boom", error=True), "t1", at(6))

    assert ended is not None
    assert ended.state is State.ENDED
    assert ended.spot.position == 5
    assert failed is not None
    assert failed.state is State.FAILED


@pytest.mark.parametrize("status", ["async_launched", "teammate_spawned"])
def test_the_word_that_it_was_started_is_no_end(status: str) -> None:
    assert ending_of_result(gets("t1", "Launched", status=status), "t1", at(5)) is None
    assert ending_of_result(gets("t2", "Other"), "t1", at(5)) is None


@pytest.mark.parametrize(
    ("status", "state"),
    [("completed", State.ENDED), ("failed", State.FAILED), ("killed", State.ENDED), ("running", None), ("", None)],
)
def test_a_notice_tells_how_it_ended(status: str, state: State | None) -> None:
    found = ending_of_notice(Notice("a", "t", status, "", ""), at(1))

    assert (found.state if found else None) == state


def test_the_latest_word_counts_because_an_agent_may_be_resumed() -> None:
    assert judge([told(State.ENDED, 9), told(State.FAILED, 4)]).state is State.ENDED


def test_an_agent_that_writes_after_its_end_runs_again() -> None:
    endings = [told(State.ENDED, 9)]

    assert judge(endings, last_at=60_000, live=True).state is State.RUNNING
    assert judge(endings, last_at=9_500, live=True).state is State.ENDED
    assert judge(endings, last_at=60_000, live=False).state is State.ENDED
    assert judge([], live=True).state is State.RUNNING


def test_words_of_an_agent_at_work_are_its_last_only_if_the_api_says_so() -> None:
    said = says("Let me look.")
    ended = {**said, "message": {**said["message"], "stop_reason": "end_turn"}}

    assert judge([], live=True, last=said).state is State.RUNNING
    assert judge([], live=True, last=ended).state is State.ENDED


@pytest.mark.parametrize(
    ("last", "meta", "state"),
    [
        (says("All done."), {}, State.ENDED),
        (says("API Error: 529", isApiErrorMessage=True), {}, State.FAILED),
        (calls("Read", "t9", file_path="a.py"), {}, State.UNKNOWN),
        (calls("Read", "t9", file_path="a.py"), {"stoppedByUser": True}, State.ENDED),
        (hears("[Request interrupted by user for tool use]"), {}, State.ENDED),
        (gets("t9", "text"), {"finished": True}, State.ENDED),
        (gets("t9", "text"), {"finished": "yes"}, State.UNKNOWN),
        (None, {}, State.UNKNOWN),
    ],
)
def test_where_nobody_says_so_its_own_last_record_may_tell(
    last: dict[str, Any] | None, meta: dict[str, Any], state: State
) -> None:
    assert judge([], meta=meta, last=last, last_spot=at(3, "a")).state is state
