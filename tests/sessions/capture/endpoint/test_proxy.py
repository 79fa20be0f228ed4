from __future__ import annotations

import gzip
import json
import os
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import brotli
import pytest
import zstandard

from sessions.capture.endpoint.upstream import Upstream
from sessions.capture.engine import Ending
from tests.serving import wait_until
from tests.sessions.capture.endpoint.rawserver import Taken, chunked, whole
from tests.sessions.capture.proxying import Proxying, between, body_of, post, proxying

EVENTS = [
    b'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1"}}\n\n',
    b"event: ping\ndata: {}\n",
    b"\n",
    'data: {"text":"ü \u2028 …"}\r\n\r\n'.encode(),
    b": a comment\n\n",
]
BODY = json.dumps({"model": "claude-test", "messages": [{"role": "user", "content": "Hi"}]}).encode()


def answer_of(proxy: Proxying, path: str = "/v1/messages", body: bytes = BODY, *headers: bytes) -> bytes:
    return proxy.ask(post(f"/capture{path}", body, *headers))


def test_a_streamed_answer_comes_through_byte_for_byte(tmp_path: Path) -> None:
    streamed = chunked(*EVENTS, headers=[b"content-type: text/event-stream"])
    with between(lambda _: streamed, tmp_path) as (upstream, proxy):
        assert body_of(answer_of(proxy)) == b"".join(EVENTS)
        (recorded,) = proxy.exchanges()
    assert recorded.answer == b"".join(EVENTS)
    assert recorded.request == upstream.taken[0].body == BODY


def test_each_event_is_handed_on_when_it_comes(tmp_path: Path) -> None:
    """Not when the answer is complete: the second half is sent only after the first was seen."""
    seen: list[bytes] = []

    def answer(_: Taken) -> list[bytes | float]:
        return list(chunked(EVENTS[0], 30.0, EVENTS[1]))

    with between(answer, tmp_path) as (upstream, proxy):
        with proxy.connected() as client:
            client.sendall(post("/capture/v1/messages", BODY))
            while EVENTS[0] not in b"".join(seen):
                seen.append(client.recv(65536))
        wait_until(lambda: upstream.left == 1)


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd", "odd"])
def test_a_packed_answer_stays_packed(tmp_path: Path, encoding: str) -> None:
    text = b'{"type":"message","id":"msg_1","content":[]}' * 50
    pack = {"gzip": gzip.compress, "br": brotli.compress, "zstd": zstandard.ZstdCompressor().compress}
    packed = pack.get(encoding, bytes)(text)
    header = b"content-encoding: " + encoding.encode()
    with between(lambda _: whole(packed, header, b"content-type: application/json"), tmp_path) as (upstream, proxy):
        answer = answer_of(proxy, "/v1/messages", BODY, b"accept-encoding: gzip, br, zstd")
    assert body_of(answer) == packed
    assert header in answer.lower()
    assert upstream.taken[0].values(b"accept-encoding") == [b"gzip, br, zstd"]


@pytest.mark.parametrize("status", [b"400 Bad Request", b"401 Unauthorized", b"429 Too Many Requests", b"529 "])
def test_failures_of_the_upstream_pass_unchanged(tmp_path: Path, status: bytes) -> None:
    body = b'{"type":"error","error":{"type":"some_error","message":"No."},"request_id":"req_7"}'
    headers = (b"content-type: application/json", b"retry-after: 7", b"request-id: req_7", b"x-should-retry: true")
    with between(lambda _: whole(body, *headers, status=status), tmp_path) as (_, proxy):
        answer = answer_of(proxy)
        (recorded,) = proxy.exchanges()
    assert answer.startswith(b"HTTP/1.1 " + status[:3])
    assert body_of(answer) == body
    assert all(header in answer for header in headers)
    assert (recorded.status, recorded.ended) == (int(status[:3]), Ending.COMPLETE)
    assert recorded.answer_header("retry-after") == "7"


@pytest.mark.parametrize("length", [True, False], ids=["with a length", "in chunks"])
def test_an_answer_that_is_cut_off_there_is_cut_off_here(tmp_path: Path, length: bool) -> None:
    cut = [b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\nconnection: close\r\n\r\n", EVENTS[0]]
    with between(lambda _: cut if length else chunked(EVENTS[0], end=False), tmp_path) as (_, proxy):
        answer = answer_of(proxy)
        (recorded,) = proxy.exchanges()
    assert EVENTS[0] in answer
    assert not answer.endswith(b"0\r\n\r\n")
    assert (recorded.ended, recorded.answer) == (Ending.CUT, EVENTS[0])


def test_a_client_that_leaves_ends_the_request_upstream(tmp_path: Path) -> None:
    with between(lambda _: chunked(EVENTS[0], 60.0, EVENTS[1]), tmp_path) as (upstream, proxy):
        with proxy.connected() as client:
            client.sendall(post("/capture/v1/messages", BODY))
            client.recv(65536)
        wait_until(lambda: upstream.left == 1)
        (recorded,) = proxy.exchanges()
    assert recorded.ended == Ending.LEFT
    assert recorded.request == BODY


def test_a_client_that_leaves_before_the_answer_ends_the_request_too(tmp_path: Path) -> None:
    with between(lambda _: [60.0], tmp_path) as (upstream, proxy):
        with proxy.connected() as client:
            client.sendall(post("/capture/v1/messages", BODY))
            wait_until(lambda: upstream.taken)
        wait_until(lambda: upstream.left == 1)
        (recorded,) = proxy.exchanges()
    assert (recorded.ended, recorded.status) == (Ending.LEFT, None)


def test_a_client_that_leaves_while_it_sends_is_noticed(tmp_path: Path) -> None:
    with between(lambda _: whole(b"{}"), tmp_path) as (upstream, proxy):
        with proxy.connected() as client:
            client.sendall(post("/capture/v1/messages", BODY)[:-5])
            wait_until(lambda: upstream.connections)
        (recorded,) = proxy.exchanges()
    assert recorded.ended == Ending.LEFT


def test_a_huge_body_comes_through_whole_and_in_both_framings(tmp_path: Path) -> None:
    body = os.urandom(20_000_000)
    pieces = [body[index : index + 300_000] for index in range(0, len(body), 300_000)]
    framed = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
    head = b"POST /capture/v1/messages HTTP/1.1\r\nhost: localhost:1\r\nconnection: close\r\ntransfer-encoding: chunked"
    with between(lambda taken: whole(taken.body), tmp_path) as (upstream, proxy):
        assert body_of(answer_of(proxy, "/v1/messages", body)) == body
        assert body_of(proxy.ask(head + b"\r\n\r\n" + framed)) == body
        assert [exchange.request == body == exchange.answer for exchange in proxy.exchanges(2)] == [True, True]
    assert [taken.body == body for taken in upstream.taken] == [True, True]


def test_headers_travel_as_they_are_repeated_ones_too(tmp_path: Path) -> None:
    output = (b"anthropic-beta: one", b"anthropic-beta: two", b"x-api-key: sk-secret", b"cookie: a=b", b"te: trailers")
    back = (b"set-cookie: a=1", b"set-cookie: b=2", b"anthropic-ratelimit: 5", b"date: Tue, 17 Nov 2026 10:00:00 GMT")
    with between(lambda _: whole(b"{}", *back, b"keep-alive: timeout=5"), tmp_path) as (upstream, proxy):
        answer = answer_of(proxy, "/v1/messages", BODY, *output, b"x-hop: 1", b"connection: x-hop")
    (taken,) = upstream.taken
    assert taken.values(b"anthropic-beta") == [b"one", b"two"]
    assert taken.values(b"x-api-key") == [b"sk-secret"]
    assert taken.values(b"cookie") == [b"a=b"]
    assert taken.values(b"host") == [upstream.url.removeprefix("http://").encode()]
    names = [name for name, _ in taken.headers]
    assert not {b"te", b"x-hop", b"expect", b"connection", b"user-agent", b"accept"} & set(names)
    assert all(line in answer for line in back)
    assert answer.lower().count(b"date:") == 1
    assert b"keep-alive" not in answer


@pytest.mark.parametrize(
    "path",
    ["/v1/messages?beta=true", "/v1/models?limit=2&after=a%2Fb", "/v1/files/a%20b%2f..%2fc", "/", "/odd/Path;x=1"],
)
def test_paths_and_queries_travel_as_they_are(tmp_path: Path, path: str) -> None:
    with between(lambda _: whole(b"{}"), tmp_path, "/gateway/") as (upstream, proxy):
        answer_of(proxy, path)
    assert upstream.taken[0].line == f"POST /gateway{path} HTTP/1.1".encode()


def test_the_bare_address_leads_to_the_root_of_the_api(tmp_path: Path) -> None:
    with between(lambda _: whole(b""), tmp_path) as (upstream, proxy):
        answer = proxy.ask(b"HEAD /capture HTTP/1.1\r\nhost: localhost:1\r\nconnection: close\r\n\r\n")
        assert proxy.exchanges(0) == []
    assert answer.startswith(b"HTTP/1.1 200")
    assert upstream.taken[0].line == b"HEAD / HTTP/1.1"
    assert upstream.taken[0].values(b"content-length") == []


def test_a_head_keeps_the_length_that_it_was_told(tmp_path: Path) -> None:
    def answer(_: Taken) -> list[bytes]:
        return [b"HTTP/1.1 200 OK\r\ncontent-length: 1234\r\nconnection: close\r\n\r\n"]

    with between(answer, tmp_path) as (_, proxy):
        result = proxy.ask(b"HEAD /capture/v1/models HTTP/1.1\r\nhost: localhost:1\r\nconnection: close\r\n\r\n")
    assert b"content-length: 1234" in result
    assert result.endswith(b"\r\n\r\n")


@pytest.mark.parametrize(
    "path", ["/v1/messages/count_tokens?beta=true", "/v1/messages/batches", "/v1/files", "/v1/complete"]
)
def test_what_asks_no_model_is_handed_on_and_not_written_down(tmp_path: Path, path: str) -> None:
    with between(lambda _: whole(b'{"input_tokens": 7}'), tmp_path) as (_, proxy):
        assert body_of(answer_of(proxy, path)) == b'{"input_tokens": 7}'
        assert proxy.exchanges(0) == []
        assert (proxy.recorder.counts.forwarded, proxy.recorder.counts.lost_count) == (1, 0)


def test_a_redirect_is_the_clients_to_follow(tmp_path: Path) -> None:
    elsewhere = whole(b"", b"location: /elsewhere", status=b"307 Temporary Redirect")
    with between(lambda _: elsewhere, tmp_path) as (upstream, proxy):
        assert b"location: /elsewhere" in answer_of(proxy)
    assert len(upstream.taken) == 1


def test_a_client_that_waits_for_a_go_ahead_gets_one(tmp_path: Path) -> None:
    request = post("/capture/v1/messages", BODY, b"expect: 100-continue")
    head, body = request[: -len(BODY)], request[-len(BODY) :]
    with between(lambda taken: whole(taken.body), tmp_path) as (upstream, proxy), proxy.connected() as client:
        client.sendall(head)
        assert client.recv(65536).startswith(b"HTTP/1.1 100 ")
        client.sendall(body)
        assert body_of(client.recv(65536)) == BODY
    assert upstream.taken[0].values(b"expect") == []


def test_early_hints_of_the_upstream_do_no_harm(tmp_path: Path) -> None:
    early = b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n"
    with between(lambda _: [early, *whole(b"{}")], tmp_path) as (_, proxy):
        assert body_of(answer_of(proxy)) == b"{}"


def test_an_upstream_that_is_not_there_is_told_in_the_form_of_the_api(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with proxying(f"http://127.0.0.1:{port}", tmp_path) as proxy:
        answer = answer_of(proxy)
        (recorded,) = proxy.exchanges()
    assert answer.startswith(b"HTTP/1.1 502")
    error = json.loads(body_of(answer))
    assert (error["type"], error["error"]["type"]) == ("error", "api_error")
    assert str(port) in error["error"]["message"]
    assert (recorded.ended, recorded.request, recorded.status) == (Ending.UNREACHABLE, BODY, None)


def test_an_upstream_that_hangs_up_without_a_word_is_told_too(tmp_path: Path) -> None:
    with between(lambda _: [], tmp_path) as (_, proxy):
        assert answer_of(proxy).startswith(b"HTTP/1.1 502")


def test_it_does_not_ask_itself(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with proxying(f"http://localhost:{port}/capture", tmp_path, port=port) as proxy:
        assert answer_of(proxy).startswith(b"HTTP/1.1 508")
    assert Upstream.of("http://[::1]:8765").is_at("127.0.0.1", 8765)
    assert not Upstream.of("http://127.0.0.1:8766").is_at("127.0.0.1", 8765)
    assert not Upstream.of("https://api.anthropic.com:8765").is_at("127.0.0.1", 8765)


@pytest.mark.parametrize(
    ("header", "status"),
    [
        (b"host: evil.example", b"400"),
        (b"host: 127.0.0.1:1\r\norigin: https://evil.example", b"403"),
        (b"host: 127.0.0.1:1\r\nsec-fetch-site: cross-site", b"403"),
        (b"host: 127.0.0.1:1\r\nsec-fetch-mode: navigate\r\nsec-fetch-site: none", b"302"),
    ],
)
def test_pages_of_other_sites_are_refused_and_people_led_to_the_page(
    tmp_path: Path, header: bytes, status: bytes
) -> None:
    with between(lambda _: whole(b"{}"), tmp_path) as (upstream, proxy):
        answer = proxy.ask(b"GET /capture/v1/models HTTP/1.1\r\nconnection: close\r\n" + header + b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 " + status)
    assert upstream.taken == []


def test_a_slow_reader_slows_the_upstream_down(tmp_path: Path) -> None:
    """Nothing is gathered on the way beyond what sockets hold: a reader who does not read stops the sender."""
    sent = [0]

    def pieces() -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n"
        while sent[0] < 2000:
            sent[0] += 1
            yield b"x" * 65536

    with between(lambda _: pieces(), tmp_path) as (_, proxy), proxy.connected() as client:
        client.sendall(post("/capture/v1/models", b""))
        client.recv(10)
        wait_until(lambda: _still(sent))
        assert sent[0] < 1000


def _still(count: list[int]) -> bool:
    before = count[0]
    time.sleep(0.3)
    return count[0] == before > 0


def test_connections_to_the_upstream_are_used_again(tmp_path: Path) -> None:
    with between(lambda _: whole(b"{}"), tmp_path) as (upstream, proxy):
        for _ in range(5):
            answer_of(proxy)
    assert (len(upstream.taken), upstream.connections) == (5, 1)


def test_no_key_is_ever_written_down(tmp_path: Path) -> None:
    secrets = (b"sk-ant-api03-NOBODY-READS-THIS", b"Bearer oat-NOBODY-READS-THIS", b"a=NOBODY-READS-THIS")
    headers = (b"x-api-key: " + secrets[0], b"authorization: " + secrets[1], b"cookie: " + secrets[2])
    proxied = (b"proxy-authorization: Basic NOBODY-READS-THIS", b"anthropic-version: 2023-06-01")
    back = (b"set-cookie: x=NOBODY-READS-THIS", b"request-id: req_1")
    with between(lambda _: whole(b"{}", *back), tmp_path) as (_, proxy):
        answer_of(proxy, "/v1/messages?key=NOBODY-READS-THIS", BODY, *headers, *proxied)
        (recorded,) = proxy.exchanges()
    assert recorded.header("anthropic-version") == "2023-06-01"
    assert recorded.answer_header("request-id") == "req_1"
    unpacked = zstandard.ZstdDecompressor().decompress
    for path in (tmp_path / "captures").iterdir():
        data = path.read_bytes()
        assert b"NOBODY" not in data
        assert path.name == ".lock" or b"NOBODY" not in unpacked(data)
        assert re.fullmatch(r"\d{13}-[0-9a-f]{16}\.capture", path.name)
        assert path.stat().st_mode & 0o777 == 0o600
