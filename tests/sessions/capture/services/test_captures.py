from __future__ import annotations

import random
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from sessions.capture.engine import Ending
from sessions.capture.selectors.captures import capture_usage, find_capture, load_answer, load_sent
from sessions.capture.services.captures import RequestOrigin, capture_store, captures_prune
from sessions.models import Capture, CaptureBlob
from tests.sessions.capture.capturing import MARK, Json, events, exchange, message, request

pytestmark = pytest.mark.django_db
TOOLS = [
    {"name": name, "description": f"{name} " * 20, "input_schema": {"type": "object"}} for name in ("Bash", "Read")
]
SYSTEM = [{"type": "text", "text": "You watch tides."}, {"type": "text", "text": "Never guess.", "cache_control": MARK}]


def stored(*arguments: Any, **more: Any) -> Capture:
    capture = capture_store(exchange=exchange(*arguments, **more))
    assert capture is not None
    return capture


def test_a_request_comes_back_as_it_was_sent() -> None:
    body = request(
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": [{"type": "text", "text": "b", "a": 1, "cache_control": MARK}]},
        system=SYSTEM,
        tools=TOOLS,
        thinking={"type": "adaptive"},
    )
    headers = [("anthropic-beta", "one,two"), ("anthropic-beta", "three")]
    capture = stored(body, headers=headers)
    sent = load_sent(capture)
    assert sent.body() == body
    # The order of keys is part of what the prompt cache sees.
    assert list(sent.body()["messages"][1]["content"][0]) == ["type", "text", "a", "cache_control"]
    assert sent.params["betas"] == ["one", "two", "three"]
    assert capture.model == body["model"]


def test_the_answer_is_found_by_its_id_with_what_it_counted() -> None:
    split = {"ephemeral_5m_input_tokens": 20, "ephemeral_1h_input_tokens": 10}
    usage: Any = {"cache_read_input_tokens": 70, "cache_creation_input_tokens": 30, "cache_creation": split}
    answer = {**message("msg_high", **usage), "diagnostics": {"cache_miss_reason": {"type": "tools_changed"}}}
    capture = stored(request(), answer, answer_headers=[("content-type", "application/json"), ("request-id", "req_1")])
    result = find_capture("msg_high")
    assert result == capture
    assert load_answer(capture) == answer
    assert capture_usage(capture) is not None
    assert (capture.input, capture.cache_read, capture.cache_write_5m, capture.cache_write_1h) == (3, 70, 20, 10)
    assert (capture.request_id, capture.stop_reason, capture.error) == ("req_1", "end_turn", "")
    assert capture.diagnostics == {"cache_miss_reason": {"type": "tools_changed"}}
    assert find_capture("msg_low") is None


def test_storing_the_same_exchange_again_changes_nothing() -> None:
    once = exchange(request({"role": "user", "content": "Hi"}))
    assert capture_store(exchange=once) is not None
    with CaptureQueriesContext(connection) as queries:
        assert capture_store(exchange=once) is None
    assert len(queries) == 1
    assert Capture.objects.count() == 1


def test_a_request_of_our_own_that_went_through_the_endpoint_is_stored_once() -> None:
    own = exchange(request({"role": "user", "content": "Hi"}), message("msg_own"))
    assert capture_store(exchange=own, asker=RequestOrigin(7, "msg_parent")) is not None
    second = exchange(request({"role": "user", "content": "Hi"}), message("msg_own"))
    assert capture_store(exchange=second) is None
    assert [(capture.origin, capture.run_id) for capture in Capture.objects.all()] == [("lucid", 7)]


@pytest.mark.parametrize(
    ("headers", "user", "session"),
    [
        ([], f"user_abc_account_def_session_{'1' * 8}-2222", f"{'1' * 8}-2222"),
        ([], '{"device_id":"d","session_id":"s-7"}', "s-7"),
        ([("x-claude-code-session-id", "s-8")], "", "s-8"),
        ([], "somebody", ""),
        ([], "{broken", ""),
    ],
)
def test_the_session_is_taken_from_where_the_client_tells_it(headers: Any, user: str, session: str) -> None:
    assert stored(request(metadata={"user_id": user}), headers=headers).session_id == session


def test_an_error_is_stored_in_the_words_of_the_api() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    capture = stored(request(), error, status=529)
    assert (capture.status, capture.error, capture_usage(capture)) == (529, "overloaded_error: Overloaded", None)
    assert capture.message_key is None


def test_what_was_cut_off_keeps_what_arrived() -> None:
    start = {"type": "message_start", "message": {**message("msg_cut"), "content": []}}
    headers = [("content-type", "text/event-stream")]
    capture = stored(request(), events(start), answer_headers=headers, ended=Ending.CUT, problem="Broken off.")
    assert (capture.message_id, capture.ended, capture.error) == ("msg_cut", "cut", "Broken off.")


@pytest.mark.parametrize("body", [b"", b"no json", b"[]", b'{"messages": [1, null, "x"], "tools": [2], "system": [3]}'])
def test_what_is_no_request_is_stored_and_said_to_be_none(body: bytes) -> None:
    capture = stored(body, b"<html>", status=400)
    load_sent(capture).body()
    assert capture.error


def test_a_session_of_two_hundred_large_requests_takes_less_than_five_megabytes() -> None:
    """150,000 tokens each, about 600 KB: what is new in each is stored, not what it repeats."""
    chance = random.Random(7)
    words = [f"{chance.randrange(16**7):x}" for _ in range(4000)]

    def message_of(role: str, number: int) -> Json:
        text = " ".join(chance.choices(words, k=180))
        return {"role": role, "content": [{"type": "text", "text": f"{number} {text}"}]}

    messages = [message_of("user" if number % 2 == 0 else "assistant", number) for number in range(400)]
    system = [{"type": "text", "text": " ".join(chance.choices(words, k=2500))}]
    sizes = []
    for number in range(200):
        marked = [*messages[:-1], {**messages[-1], "content": [{**messages[-1]["content"][0], "cache_control": MARK}]}]
        billing = {"type": "text", "text": f"x-billing: {number}"}
        body = request(*marked, system=[billing, *system], tools=TOOLS)
        sizes.append(stored(body).request_bytes)
        messages += [message_of("assistant", number), message_of("user", number)]
    assert min(sizes) > 570_000
    assert sum(sizes) > 120_000_000
    assert stored_bytes() < 5_000_000


def stored_bytes() -> int:
    """What the tables take in the file, indexes included."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT sum(pg_total_relation_size(name::regclass))"
                " FROM unnest(ARRAY['transcripts_capture', 'transcripts_captureblob']) AS name"
            )
            return int(cursor.fetchone()[0])
    names = "('transcripts_capture', 'transcripts_captureblob')"
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sum(pgsize) FROM dbstat WHERE name IN (SELECT name FROM sqlite_master WHERE tbl_name IN "
            + names
            + ")"
        )
        return int(cursor.fetchone()[0])


def test_the_old_are_forgotten_with_what_only_they_held() -> None:
    shared = {"role": "user", "content": "shared"}
    stored(request(shared, {"role": "assistant", "content": "old"}), at=1000)
    kept = stored(request(shared, {"role": "assistant", "content": "new"}), at=3000)
    before = CaptureBlob.objects.count()
    assert captures_prune(before=2000) == 1
    # The message that only the old request held, and the answer to it.
    assert CaptureBlob.objects.count() == before - 2
    assert load_sent(kept).messages[0] == shared
    assert load_answer(kept) is not None
    assert captures_prune(before=2000) == 0
