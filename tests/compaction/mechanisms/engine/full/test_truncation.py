from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compaction.mechanisms.engine.full.truncation import MARKER, NothingLeftError, rounds_of, truncate
from sessions.lint.engine import Severity, lint_request
from sessions.transcripts.engine.messages import Message, join_messages
from sessions.usage.engine.tokens import estimate
from tests.sessions.transcripts.engine.messages.conversations import requests
from tests.sessions.transcripts.engine.spoken import Talk, ids, texts


def chat(turns: int) -> list[Message]:
    talk = Talk()
    for number in range(turns):
        talk.prompt(f"{number} " + "x" * 298)
        talk.says(f"{number} " + "y" * 298)
    return talk.messages


def test_a_round_is_an_input_a_response_and_its_results() -> None:
    talk = Talk()
    talk.prompt("go")
    first = talk.calls("Read", message_id="one")
    talk.result(first)
    second = talk.calls("Read", message_id="one")
    talk.result(second)
    talk.says("done", message_id="two")
    talk.prompt("more")
    talk.injected("reminder")
    talk.says("yes", message_id="three")
    assert [ids(group) for group in rounds_of(talk.messages)] == [
        ["m1", "m2", "m3", "m4", "m5"],
        ["m6"],
        ["m7", "m8", "m9"],
    ]


def test_the_oldest_rounds_go_until_the_gap_is_covered() -> None:
    messages = chat(10)
    gap = estimate(messages[:5])
    shorter = truncate(messages, gap)
    assert (shorter.dropped, shorter.rounds) == (3, 10)
    assert ids(shorter.messages) == ids(messages[6:])


def test_without_a_gap_a_fifth_goes_and_at_least_one() -> None:
    assert truncate(chat(10), None).dropped == 2
    assert truncate(chat(3), None).dropped == 1


def test_an_answer_in_front_gets_a_marker_before_it() -> None:
    talk = Talk()
    talk.prompt("go")
    for _ in range(5):
        talk.reads("a.py")
    shorter = truncate(talk.messages, None)
    assert texts(shorter.messages)[0] == MARKER
    assert shorter.messages[1].role == "assistant"


def test_the_marker_of_an_earlier_retry_does_not_count_as_a_round() -> None:
    talk = Talk()
    talk.prompt("go")
    for _ in range(8):
        talk.reads("a.py")
    once = truncate(talk.messages, None, attempt=1)
    twice = truncate(once.messages, None, attempt=2)
    assert twice.rounds == once.rounds - once.dropped
    assert texts(twice.messages).count(MARKER) == 1
    assert len(twice.messages) < len(once.messages)


def test_when_nothing_is_left_the_error_says_what_to_do() -> None:
    with pytest.raises(NothingLeftError, match="Go back a few messages"):
        truncate(chat(1), None)
    with pytest.raises(NothingLeftError):
        truncate(chat(5), 700_000)


@settings(deadline=None)
@given(requests(thinking="never"), st.sampled_from([None, 400]))
def test_what_is_left_is_what_the_api_takes(messages: list[Message], gap: int | None) -> None:
    while True:
        try:
            messages = truncate(messages, gap).messages
        except NothingLeftError:
            return
        body = {"model": "claude-opus-4-6", "max_tokens": 1, "messages": join_messages(messages)}
        assert [finding for finding in lint_request(body) if finding.severity is Severity.REFUSED] == []
