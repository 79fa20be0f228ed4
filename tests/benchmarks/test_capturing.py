from __future__ import annotations

import json

from benchmarks.ours.capturing import TOKENS, body_of, session
from sessions.transcripts.engine.messages import read_messages
from sessions.usage.engine.tokens import estimate


def test_the_measured_request_has_as_many_tokens_as_it_says() -> None:
    body = json.loads(body_of(session(TOKENS)))
    assert TOKENS <= estimate(read_messages(body["messages"])) < TOKENS * 1.1


def test_two_requests_of_the_session_differ_where_those_of_a_client_do() -> None:
    first, other = (json.loads(body_of(session(2000), number)) for number in (1, 2))
    assert first.pop("system")[0] != other.pop("system")[0]
    assert first == other
