from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compaction.mechanisms.engine.full.too_long import (
    MARKER,
    NothingLeftError,
    is_too_long,
    rounds_of,
    token_gap,
    truncate,
)
from sessions.lint.engine import Severity, lint_request
from sessions.transcripts.engine.messages import Message, join_messages
from sessions.usage.engine.tokens import estimate
from tests.sessions.transcripts.engine.messages.conversations import requests
from tests.sessions.transcripts.engine.spoken import Talk, ids, texts

NO_GAP = "Input is too long for requested model."


def chat(turns: int) -> list[Message]:
    talk = Talk()
    for number in range(turns):
        talk.prompt(f"{number} " + "x" * 298)
        talk.says(f"{number} " + "y" * 298)
    return talk.messages


@pytest.mark.parametrize(
    ("error", "gap"),
    [
        ("prompt is too long: 208310 tokens > 200000 maximum", 8_310),
        ("Prompt is too long: 1,208,310 tokens > 1,000,000 maximum", 208_310),
        ('400 {"type":"error","error":{"message":"prompt is too long: 137500 tokens > 135000 maximum"}}', 2_500),
        ("input length and max_tokens exceed context limit: 198981 + 21333 > 200000", 20_314),
        ("input length and `max_tokens` exceed context limit: 198981 + 21333 > 200000, decrease input length", 20_314),
        (NO_GAP, None),
        ("ValidationException: Input is too long for requested model.", None),
        ("Prompt is too long", None),
        ("model_context_window_exceeded", None),
    ],
)
def test_it_knows_every_way_of_saying_too_long(error: str, gap: int | None) -> None:
    assert is_too_long(error)
    assert token_gap(error) == gap


@pytest.mark.parametrize("error", ["overloaded_error", "rate limit", "max_tokens: 5 > 4", "", "the prompt is fine"])
def test_other_errors_are_not_about_length(error: str) -> None:
    assert not is_too_long(error)
    assert token_gap(error) is None


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
    shorter = truncate(messages, f"prompt is too long: {200_000 + gap} tokens > 200000 maximum")
    assert (shorter.dropped, shorter.rounds) == (3, 10)
    assert ids(shorter.messages) == ids(messages[6:])


def test_without_a_gap_a_fifth_goes_and_at_least_one() -> None:
    assert truncate(chat(10), NO_GAP).dropped == 2
    assert truncate(chat(3), NO_GAP).dropped == 1


def test_an_answer_in_front_gets_a_marker_before_it() -> None:
    talk = Talk()
    talk.prompt("go")
    for _ in range(5):
        talk.reads("a.py")
    shorter = truncate(talk.messages, NO_GAP)
    assert texts(shorter.messages)[0] == MARKER
    assert shorter.messages[1].role == "assistant"


def test_the_marker_of_an_earlier_retry_does_not_count_as_a_round() -> None:
    talk = Talk()
    talk.prompt("go")
    for _ in range(8):
        talk.reads("a.py")
    once = truncate(talk.messages, NO_GAP, attempt=1)
    twice = truncate(once.messages, NO_GAP, attempt=2)
    assert twice.rounds == once.rounds - once.dropped
    assert texts(twice.messages).count(MARKER) == 1
    assert len(twice.messages) < len(once.messages)


def test_when_nothing_is_left_the_error_says_what_to_do() -> None:
    with pytest.raises(NothingLeftError, match="Go back a few messages"):
        truncate(chat(1), NO_GAP)
    with pytest.raises(NothingLeftError):
        truncate(chat(5), "prompt is too long: 900000 tokens > 200000 maximum")


@settings(deadline=None)
@given(requests(thinking="never"), st.sampled_from([NO_GAP, "prompt is too long: 200400 tokens > 200000 maximum"]))
def test_what_is_left_is_what_the_api_takes(messages: list[Message], error: str) -> None:
    while True:
        try:
            messages = truncate(messages, error).messages
        except NothingLeftError:
            return
        body = {"model": "claude-opus-4-6", "max_tokens": 1, "messages": join_messages(messages)}
        assert [finding for finding in lint_request(body) if finding.severity is Severity.REFUSED] == []
