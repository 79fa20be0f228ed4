from __future__ import annotations

import logging
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import anthropic  # noqa: F401 - takes seconds, which are not those that are measured here
import pytest

from inspector.agents.anthropic_model import DEFAULT_OUTPUT, AnthropicModel, Timeouts
from inspector.agents.cancel import CancelToken
from inspector.agents.errors import (
    BadRequestError,
    CancelledError,
    CutMidStreamError,
    ModelError,
    OverloadedError,
    PromptTooLongError,
    RateLimitedError,
    RefusedError,
    SpendCapError,
    TimedOutError,
    UnauthorisedError,
    UnreachableError,
)
from inspector.agents.model import Ask, AttemptStarted, BlockStarted, Progress, RetryScheduled, TextArrived
from inspector.agents.retrying import Retries
from inspector.agents.wire import to_bytes
from sessions.usage.engine.usage import Usage
from tests.inspector.agents.server import Call, Fail, Hang, MessagesServer, Say, messages_server, too_long
from tests.serving import ROOT, fair, wait_until

QUICK = Retries(attempts=3, first=0.01, chance=lambda: 0.0)
ASK = Ask("claude-test", ({"role": "user", "content": "Hi"},))


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    with messages_server() as running:
        yield running


def model(server: MessagesServer, **options: Any) -> AnthropicModel:
    return AnthropicModel(server.key, **{"base_url": server.url, "retries": QUICK, **options})


def test_it_puts_a_streamed_answer_together(server: MessagesServer) -> None:
    server.answer(
        Say("Hello you", thinking="Hm, well", calls=[Call("Read", {"file_path": "a.md", "n": [1, {"x": None}]})])
    )
    reply = model(server).ask(ASK)
    assert reply.text == "Hello you"
    assert reply.content == (
        {"type": "thinking", "thinking": "Hm, well", "signature": "c2lnbmVk"},
        {"type": "text", "text": "Hello you"},
        {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "a.md", "n": [1, {"x": None}]}},
    )
    assert (reply.stop_reason, reply.message_id, reply.request_id) == ("tool_use", "msg_1", "req_1")
    assert (reply.model, reply.attempts, reply.usage) == ("claude-test", 1, Usage(input=10, output=5))


def test_the_listener_hears_the_answer_arrive_in_its_own_thread(server: MessagesServer) -> None:
    server.answer(Say("Hello you", calls=[Call("Grep", {})]))
    events: list[tuple[Progress, int]] = []
    model(server).ask(replace(ASK, listener=lambda progress: events.append((progress, threading.get_ident()))))
    assert [progress for progress, _ in events] == [
        AttemptStarted(1),
        BlockStarted("text"),
        TextArrived("Hello"),
        TextArrived(" you"),
        BlockStarted("tool_use", "Grep"),
    ]
    assert {thread for _, thread in events} == {threading.get_ident()}


def test_an_answer_that_is_not_streamed_is_taken_too(server: MessagesServer) -> None:
    server.answer(Say("All at once", plain=True))
    reply = model(server).ask(ASK)
    assert (reply.text, reply.request_id, reply.usage.input) == ("All at once", "req_1", 10)


def test_the_request_is_sent_as_it_was_given(server: MessagesServer) -> None:
    server.answer(Say("ok"))
    ask = Ask(
        "claude-test",
        ({"role": "user", "content": [{"type": "text", "text": "Grüße 🎈", "zz": 1, "aa": 2}]},),
        system=({"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}},),
        tools=({"name": "Read", "input_schema": {"type": "object"}, "description": "d"},),
        thinking={"type": "enabled", "budget_tokens": 1024},
        metadata={"user_id": "u"},
        stop=("END",),
        betas=("one-2026", "two-2026"),
        extra={"tool_choice": {"type": "auto"}},
        max_tokens=50,
    )
    model(server, betas=("two-2026", "three-2026")).ask(ask)
    (request,) = server.requests
    assert request.body == to_bytes(
        {
            "model": "claude-test",
            "max_tokens": 50,
            "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
            "tools": [{"name": "Read", "input_schema": {"type": "object"}, "description": "d"}],
            "thinking": {"type": "enabled", "budget_tokens": 1024},
            "metadata": {"user_id": "u"},
            "stop_sequences": ["END"],
            "tool_choice": {"type": "auto"},
            "messages": [{"role": "user", "content": [{"type": "text", "text": "Grüße 🎈", "zz": 1, "aa": 2}]}],
            "stream": True,
        }
    )
    assert "Grüße 🎈".encode() in request.body
    assert request.headers["anthropic-beta"] == "one-2026,two-2026,three-2026"
    assert request.headers["authorization"] == f"Bearer {server.key}"
    assert request.headers["content-type"] == "application/json"


def test_without_a_limit_it_takes_its_own_and_sends_no_empty_keys(server: MessagesServer) -> None:
    server.answer(Say("ok"))
    model(server).ask(ASK)
    assert server.requests[0].json.keys() == {"model", "max_tokens", "messages", "stream"}
    assert server.requests[0].json["max_tokens"] == DEFAULT_OUTPUT
    assert "anthropic-beta" not in server.requests[0].headers


def test_half_characters_are_replaced(server: MessagesServer) -> None:
    server.answer(Say("ok"))
    model(server).ask(replace(ASK, messages=({"role": "user", "content": "a\ud83db"},)))
    assert server.requests[0].json["messages"][0]["content"] == "a\ufffdb"


def test_what_is_no_json_is_refused_before_it_is_sent(server: MessagesServer) -> None:
    with pytest.raises(BadRequestError, match="JSON"):
        model(server).ask(replace(ASK, messages=({"role": "user", "content": float("nan")},)))
    assert server.requests == []


def test_usage_is_the_sum_of_the_iterations(server: MessagesServer) -> None:
    iterations = [
        {"type": "compaction", "input_tokens": 100, "output_tokens": 20, "cache_read_input_tokens": 7},
        {
            "type": "message",
            "input_tokens": 5,
            "output_tokens": 3,
            "cache_creation_input_tokens": 11,
            "cache_creation": {"ephemeral_5m_input_tokens": 1, "ephemeral_1h_input_tokens": 10},
        },
    ]
    server.answer(Say("ok", usage={"input_tokens": 5, "output_tokens": 3, "iterations": iterations}))
    reply = model(server).ask(ASK)
    assert reply.usage == Usage(105, 7, 1, 10, 23)


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (Fail(400, "messages.0: bad"), BadRequestError, "messages.0: bad"),
        (Fail(401), UnauthorisedError, "key"),
        (Fail(403), UnauthorisedError, "key"),
        (Fail(404, "model: claude-x"), BadRequestError, "claude-x"),
        (Fail(413), PromptTooLongError, "larger"),
        (Fail(429), SpendCapError, "limit"),
        (Fail(402, kind="billing_error"), SpendCapError, "limit"),
        (Fail(400, "credit", kind="billing_error"), SpendCapError, "limit"),
        (Fail(400, "Your credit balance is too low to access the API."), SpendCapError, "limit"),
        (Fail(400, "You have reached your specified API usage limits."), SpendCapError, "limit"),
        (Say(error_after=2, error={"type": "x", "message": "Your credit balance is too low"}), SpendCapError, "limit"),
        (Fail(400, body=b"<html>no"), BadRequestError, "does not accept"),
        (Fail(500, headers={"x-should-retry": "false"}), OverloadedError, "overloaded"),
        (Fail(429, retry_after=4000), RateLimitedError, "4,000 seconds"),
        (Say("x", stop_reason="refusal"), RefusedError, "refused"),
        (Say("x", stop_reason="model_context_window_exceeded"), PromptTooLongError, "window"),
        (Say(error_after=2, error={"type": "invalid_request_error", "message": "bad"}), BadRequestError, "bad"),
        (Say(error_after=2, error={"type": "authentication_error"}), UnauthorisedError, "key"),
        (
            Say(error_after=2, error={"type": "invalid_request_error", "message": too_long(9, 5).message}),
            PromptTooLongError,
            "9 tokens, and 5 fit",
        ),
    ],
)
def test_what_cannot_succeed_is_not_tried_again(
    server: MessagesServer, answer: Fail | Say, error: type[ModelError], words: str
) -> None:
    server.answer(answer)
    with pytest.raises(error, match=words) as raised:
        model(server).ask(ASK)
    assert len(server.requests) == 1
    assert str(raised.value).endswith(".")


@pytest.mark.parametrize(
    "answer",
    [
        Fail(429, retry_after=0.01),
        Fail(429, headers={"retry-after-ms": "10"}),
        Fail(500),
        Fail(502, body=b"<html>Bad gateway"),
        Fail(503, body=b""),
        Fail(504),
        Fail(529),
        Hang(),
        Say("Hello you", cut_after=0),
        Say("Hello you", cut_after=4),
        Say("Hello you", end_after=4),
        Say("Hello you", error_after=4),
        Say("Hello you", error_after=4, error={"type": "rate_limit_error", "message": "slow down"}),
        Say("Hello you", garbage_after=4),
    ],
)
def test_what_may_succeed_later_is_tried_again_and_heard_of(server: MessagesServer, answer: Fail | Say | Hang) -> None:
    server.answer(answer, Say("At last"))
    events: list[Progress] = []
    reply = model(server).ask(replace(ASK, listener=events.append))
    assert (reply.text, reply.attempts) == ("At last", 2)
    (retry,) = [progress for progress in events if isinstance(progress, RetryScheduled)]
    assert retry.attempt == 1
    assert str(retry.error).endswith(".")
    assert server.requests[0].body == server.requests[1].body


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Fail(529), OverloadedError),
        (Fail(429, retry_after=0), RateLimitedError),
        (Say("Hello you", cut_after=4), CutMidStreamError),
        (Hang(), UnreachableError),
    ],
)
def test_it_gives_up_in_the_end(server: MessagesServer, answer: Fail | Say, error: type[ModelError]) -> None:
    server.otherwise = answer
    with pytest.raises(error):
        model(server).ask(ASK)
    assert len(server.requests) == 3


def test_what_a_broken_attempt_was_billed_is_known(server: MessagesServer) -> None:
    server.otherwise = Say("Hello you", cut_after=4, usage={"input_tokens": 70, "output_tokens": 9})
    with pytest.raises(CutMidStreamError) as raised:
        model(server).ask(ASK)
    assert raised.value.usage == Usage(input=70, output=1)
    assert raised.value.request_id == "req_3"


@pytest.mark.parametrize(
    ("failure", "gap"),
    [
        (too_long(208_310), 8_310),
        (too_long(), None),
        (Fail(400, "input length and `max_tokens` exceed context limit: 198981 + 21333 > 200000"), 20_314),
        (Fail(400, "Input is too long for requested model.", kind="ValidationException"), None),
        (Fail(400, body=b'{"message": "Input is too long for requested model."}'), None),
    ],
)
def test_a_prompt_that_is_too_long_tells_by_how_much(server: MessagesServer, failure: Fail, gap: int | None) -> None:
    server.answer(failure)
    with pytest.raises(PromptTooLongError) as raised:
        model(server).ask(ASK)
    assert raised.value.gap == gap


def test_a_wrong_key_is_said(server: MessagesServer) -> None:
    with pytest.raises(UnauthorisedError):
        AnthropicModel("wrong", base_url=server.url).ask(ASK)


def test_nobody_at_the_address_is_said() -> None:
    with messages_server() as stopped_server:
        url = stopped_server.url
    with pytest.raises(UnreachableError):
        AnthropicModel("k", base_url=url, retries=QUICK).ask(ASK)


@pytest.mark.parametrize("answer", [Say("x", wait=20), Say("Hello you", pause=20), Say("Hello you", pause=0.3)])
def test_it_can_be_stopped_within_a_second(server: MessagesServer, answer: Say) -> None:
    server.answer(answer)
    stopped: list[float] = []

    def soon() -> bool:
        if server.requests and not stopped:
            stopped.append(time.monotonic() + 0.3)
        return bool(stopped) and time.monotonic() > stopped[0]

    with pytest.raises(CancelledError):
        model(server).ask(replace(ASK, cancel=CancelToken(probe=soon)))
    assert time.monotonic() - stopped[0] < fair(1)
    wait_until(lambda: server.left == 1, 5)


def test_it_can_be_stopped_while_it_waits_for_the_next_attempt(server: MessagesServer) -> None:
    server.answer(Fail(429, retry_after=60))
    token = CancelToken()
    began = time.monotonic()
    with pytest.raises(CancelledError):
        model(server).ask(replace(ASK, cancel=token, listener=lambda _: token.cancel()))
    assert time.monotonic() - began < fair(1)


def test_a_stopped_one_asks_nothing(server: MessagesServer) -> None:
    token = CancelToken(probe=lambda: True)
    with pytest.raises(CancelledError):
        model(server).ask(replace(ASK, cancel=token))
    assert server.requests == []


def test_a_listener_that_fails_ends_the_request(server: MessagesServer) -> None:
    server.answer(Say("Hello you", pause=0.2))

    def fail(progress: Progress) -> None:
        raise LookupError("of the caller's own")

    with pytest.raises(LookupError):
        model(server).ask(replace(ASK, listener=fail))


@pytest.mark.parametrize("answer", [Say("x", wait=20), Say("Hello you", pause=20)])
def test_silence_is_a_timeout_that_is_tried_again(server: MessagesServer, answer: Say) -> None:
    server.answer(answer, Say("At last"))
    assert model(server, timeouts=Timeouts(idle=0.2)).ask(ASK).text == "At last"
    server.otherwise = answer
    with pytest.raises(TimedOutError, match="sent nothing"):
        model(server, timeouts=Timeouts(idle=0.2), retries=Retries(attempts=1)).ask(ASK)


def test_an_answer_that_never_ends_is_a_timeout_that_is_not(server: MessagesServer) -> None:
    server.otherwise = Say("Hello you", pause=0.3)
    with pytest.raises(TimedOutError, match="did not finish"):
        model(server, timeouts=Timeouts(total=1.0)).ask(ASK)
    assert len(server.requests) == 1


def test_nothing_that_is_said_is_logged(server: MessagesServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server.answer(Fail(500), Say("the secret answer"))
    model(server).ask(replace(ASK, messages=({"role": "user", "content": "the secret question"},)))
    assert "secret" not in caplog.text
    assert server.key not in caplog.text


def test_the_key_is_not_shown() -> None:
    assert "sk-secret" not in repr(AnthropicModel("sk-secret"))


def test_the_sdk_is_imported_only_when_a_model_is_asked() -> None:
    program = (
        "import sys, inspector.agents.anthropic_model, inspector.agents.choosing;"
        "assert not {'anthropic', 'httpx2', 'pydantic'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)
