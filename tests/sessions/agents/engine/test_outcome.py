from __future__ import annotations

from typing import Any

import pytest

from sessions.agents.engine import AgentState, Ending, judge_outcome
from sessions.agents.engine.notices import Notice
from sessions.agents.engine.outcome import ending_of_notice, ending_of_result
from tests.sessions.agents.engine.records import calls, gets, hears, record_at, says


def ending(state: AgentState, position: int) -> Ending:
    return Ending(state, "said so", record_at(position))


def test_a_result_ends_an_agent_and_an_error_fails_it() -> None:
    ended = ending_of_result(gets("t1", "Done", status="completed"), "t1", record_at(5))
    failed = ending_of_result(gets("t1", "Boom", error=True), "t1", record_at(6))

    assert ended is not None
    assert ended.state is AgentState.ENDED
    assert ended.spot.position == 5
    assert failed is not None
    assert failed.state is AgentState.FAILED


@pytest.mark.parametrize("status", ["async_launched", "teammate_spawned"])
def test_the_word_that_it_was_started_is_no_end(status: str) -> None:
    assert ending_of_result(gets("t1", "Launched", status=status), "t1", record_at(5)) is None
    assert ending_of_result(gets("t2", "Other"), "t1", record_at(5)) is None


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("completed", AgentState.ENDED),
        ("failed", AgentState.FAILED),
        ("killed", AgentState.ENDED),
        ("running", None),
        ("", None),
    ],
)
def test_a_notice_tells_how_it_ended(status: str, state: AgentState | None) -> None:
    result = ending_of_notice(Notice("a", "t", status, "", ""), record_at(1))

    assert (result.state if result else None) == state


def test_the_latest_word_counts_because_an_agent_may_be_resumed() -> None:
    assert judge_outcome([ending(AgentState.ENDED, 9), ending(AgentState.FAILED, 4)]).state is AgentState.ENDED


def test_an_agent_that_writes_after_its_end_runs_again() -> None:
    endings = [ending(AgentState.ENDED, 9)]

    assert judge_outcome(endings, last_at=60_000, live=True).state is AgentState.RUNNING
    assert judge_outcome(endings, last_at=9_500, live=True).state is AgentState.ENDED
    assert judge_outcome(endings, last_at=60_000, live=False).state is AgentState.ENDED
    assert judge_outcome([], live=True).state is AgentState.RUNNING


def test_words_of_an_agent_at_work_are_its_last_only_if_the_api_says_so() -> None:
    text = says("Let me look.")
    ended = {**text, "message": {**text["message"], "stop_reason": "end_turn"}}

    assert judge_outcome([], live=True, last=text).state is AgentState.RUNNING
    assert judge_outcome([], live=True, last=ended).state is AgentState.ENDED


@pytest.mark.parametrize(
    ("last", "meta", "state"),
    [
        (says("All done."), {}, AgentState.ENDED),
        (says("API Error: 529", isApiErrorMessage=True), {}, AgentState.FAILED),
        (calls("Read", "t9", file_path="a.py"), {}, AgentState.UNKNOWN),
        (calls("Read", "t9", file_path="a.py"), {"stoppedByUser": True}, AgentState.ENDED),
        (hears("[Request interrupted by user for tool use]"), {}, AgentState.ENDED),
        (gets("t9", "text"), {"finished": True}, AgentState.ENDED),
        (gets("t9", "text"), {"finished": "yes"}, AgentState.UNKNOWN),
        (None, {}, AgentState.UNKNOWN),
    ],
)
def test_where_nobody_says_so_its_own_last_record_may_tell(
    last: dict[str, Any] | None, meta: dict[str, Any], state: AgentState
) -> None:
    assert judge_outcome([], meta=meta, last=last, last_spot=record_at(3, "a")).state is state
