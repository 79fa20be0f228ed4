"""The client library that most programs use, pointed at the endpoint: it must not notice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anthropic
import pytest

from tests.inspector.agents.server import Call, Fail, MessagesServer, Say, messages_server
from tests.sessions.capture.proxying import Proxying, proxying

ASKED: dict[str, Any] = {
    "model": "claude-test",
    "max_tokens": 100,
    "system": [{"type": "text", "text": "You watch tides.", "cache_control": {"type": "ephemeral"}}],
    "messages": [{"role": "user", "content": "How high? ü"}],
}


@contextmanager
def asking(folder: Path) -> Iterator[tuple[MessagesServer, Proxying, anthropic.Anthropic]]:
    with (
        messages_server() as server,
        proxying(server.url, folder) as proxy,
        anthropic.Anthropic(api_key=server.key, base_url=proxy.url, max_retries=2) as client,
    ):
        yield server, proxy, client


def test_a_message_is_answered_and_recorded(tmp_path: Path) -> None:
    with asking(tmp_path) as (server, proxy, client):
        server.answer(Say("Four metres.", calls=[Call("Bash", {"command": "tide"})]))
        words = client.messages.create(**ASKED)
        (recorded,) = proxy.exchanges()
    assert [block.type for block in words.content] == ["text", "tool_use"]
    assert recorded.request == server.requests[0].body
    assert server.key.encode() not in recorded.to_bytes()
    assert json.loads(recorded.answer)["id"] == words.id
    assert recorded.header("anthropic-version") == server.requests[0].headers["anthropic-version"]


def test_a_stream_is_told_event_by_event(tmp_path: Path) -> None:
    with asking(tmp_path) as (server, proxy, client):
        server.answer(Say("Four metres.", thinking="High water"))
        with client.messages.stream(**ASKED) as stream:
            text = "".join(stream.text_stream)
            final = stream.get_final_message()
        (recorded,) = proxy.exchanges()
    assert text == "Four metres."
    assert final.stop_reason == "end_turn"
    assert recorded.answer.count(b"event: ") == 13
    assert recorded.first_byte_ms is not None
    assert 0 < recorded.first_byte_ms <= recorded.duration_ms


def test_failures_and_retries_are_the_clients_own(tmp_path: Path) -> None:
    with asking(tmp_path) as (server, proxy, client):
        server.answer(Fail(529, retry_after=0.01), Fail(500, headers={"retry-after-ms": "1"}), Say("At last."))
        assert client.messages.create(**ASKED).content[0].type == "text"
        assert [exchange.status for exchange in proxy.exchanges(3)] == [529, 500, 200]


def test_a_wrong_key_is_refused_by_the_api_itself(tmp_path: Path) -> None:
    with messages_server() as server, proxying(server.url, tmp_path) as proxy:
        client = anthropic.Anthropic(api_key="wrong", base_url=proxy.url, max_retries=0)
        with client, pytest.raises(anthropic.AuthenticationError):
            client.messages.create(**ASKED)


def test_a_stream_that_breaks_off_is_an_error_of_the_client(tmp_path: Path) -> None:
    with asking(tmp_path) as (server, proxy, client):
        server.answer(Say("Four metres.", cut_after=4))
        with pytest.raises(Exception, match=r"peer closed|incomplete|disconnected"):  # noqa: SIM117
            with client.messages.stream(**ASKED) as stream:
                stream.get_final_message()
        (recorded,) = proxy.exchanges()
    assert recorded.ended == "cut"


def test_tokens_are_counted(tmp_path: Path) -> None:
    with asking(tmp_path) as (server, proxy, client):
        server.tokens = 77
        tokens = client.messages.count_tokens(model="claude-test", messages=ASKED["messages"])
        assert tokens.input_tokens == 77
        assert proxy.exchanges(0) == []
