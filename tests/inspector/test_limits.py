"""What a server asks of a connection before its application sees anything, by real sockets."""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import uvicorn

from inspector.startup import connection
from inspector.startup.h11_connection import H11Connection
from inspector.startup.httptools_connection import HttptoolsConnection
from inspector.startup.server import _config
from inspector.web import request_guard
from inspector.web.body import BodyLimits, Receive, Scope, Send
from inspector.web.request_guard import RequestGuard
from sessions.capture.endpoint.gate import Gate
from tests.serving import PATIENCE, Server, serving, wait_until

MEGABYTE = 1024 * 1024
LIMITS = BodyLimits(most_bytes=MEGABYTE, pause_seconds=0.3, seconds=1.5)
FOREIGN = b"host: evil.example"


class Reading:
    """An application that reads whole bodies, and notes how much it was given."""

    def __init__(self) -> None:
        self.bodies: list[int] = []
        self.asked: list[tuple[str, bytes, list[bytes]]] = []
        """Path, query and hosts."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        self.asked.append((scope["path"], scope["query_string"], hosts))
        size, more = 0, True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            size += len(message.get("body", b""))
            more = message.get("more_body", False)
        self.bodies.append(size)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})


@contextmanager
def door(app: object, protocol: type[connection.Connection]) -> Iterator[int]:
    config = _config()
    config.app = app  # type: ignore[assignment]
    config.http = protocol
    config.timeout_graceful_shutdown = 0
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0), backlog=512) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        wait_until(lambda: server.started)
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = server.force_exit = True
            thread.join(PATIENCE)


@pytest.fixture(params=[HttptoolsConnection, H11Connection])
def protocol(request: pytest.FixtureRequest) -> type[connection.Connection]:
    param: type[connection.Connection] = request.param
    return param


@pytest.fixture
def pages(protocol: type[connection.Connection]) -> Iterator[tuple[int, Reading]]:
    reading = Reading()
    with door(RequestGuard(reading, is_allowed=lambda host: host.startswith("127."), limits=LIMITS), protocol) as port:
        yield port, reading


@pytest.fixture
def gate(protocol: type[connection.Connection]) -> Iterator[tuple[int, Reading]]:
    """The same for the recording endpoint: what it hands on is what the application reads."""
    reading = Reading()
    gate = Gate(reading, lambda host: host.startswith("127."), lambda _: None, LIMITS)  # type: ignore[arg-type]
    with door(gate, protocol) as port:
        yield port, reading


@pytest.fixture(params=["pages", "gate"])
def served(request: pytest.FixtureRequest, protocol: type[connection.Connection]) -> tuple[int, Reading]:
    result: tuple[int, Reading] = request.getfixturevalue(request.param)
    return result


def opened(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)


def head(*headers: bytes, host: bytes = b"host: 127.0.0.1") -> bytes:
    return b"\r\n".join([b"POST / HTTP/1.1", host, *headers, b"", b""])


def answer(client: socket.socket) -> bytes:
    """All that comes until the server closes."""
    result = b""
    with suppress(ConnectionResetError):
        while piece := client.recv(65536):
            result += piece
    return result


def first_line(client: socket.socket) -> bytes:
    return client.makefile("rb").readline()


def sent_until_closed(client: socket.socket) -> int:
    """Megabytes that it took, of 400."""
    for sent in range(400):
        try:
            client.sendall(b"x" * MEGABYTE)
        except OSError:
            return sent
        time.sleep(0.01)
    return 400


def test_a_foreign_host_is_refused_before_its_body_is_read(served: tuple[int, Reading]) -> None:
    port, reading = served
    with opened(port) as client:
        client.sendall(head(b"content-length: 419430400", host=FOREIGN))
        assert b"HTTP/1.1 400" in first_line(client)
        assert sent_until_closed(client) < 400
    assert reading.bodies == []


def test_a_body_that_announces_too_much_is_refused_at_once(served: tuple[int, Reading]) -> None:
    port, reading = served
    with opened(port) as client:
        client.sendall(head(b"content-length: %d" % (MEGABYTE + 1)))
        assert b"HTTP/1.1 413" in first_line(client)
    assert reading.bodies == []


def test_a_body_of_no_known_length_is_cut_off_at_the_limit(served: tuple[int, Reading]) -> None:
    port, reading = served
    chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
    with opened(port) as client:
        client.sendall(head(b"transfer-encoding: chunked"))
        with suppress(OSError):
            for _ in range(64):
                client.sendall(chunk)
        assert b"HTTP/1.1 413" in first_line(client)
    assert reading.bodies == []


def test_a_body_as_large_as_allowed_is_read(served: tuple[int, Reading]) -> None:
    port, reading = served
    with opened(port) as client:
        client.sendall(head(b"content-length: %d" % MEGABYTE) + b"x" * MEGABYTE)
        assert b"HTTP/1.1 200" in first_line(client)
    assert reading.bodies == [MEGABYTE]


def test_whoever_stops_in_the_middle_of_a_body_is_let_go(served: tuple[int, Reading]) -> None:
    port, reading = served
    with opened(port) as client:
        client.sendall(head(b"content-length: 100") + b"half")
        assert b"HTTP/1.1 408" in answer(client)
    assert reading.bodies == []


def test_a_body_that_trickles_is_not_waited_for_to_its_end(pages: tuple[int, Reading]) -> None:
    port, reading = pages
    with opened(port) as client:
        client.sendall(head(b"content-length: 1000"))
        with suppress(OSError):
            for _ in range(200):
                client.sendall(b"x")
                time.sleep(0.05)
        assert b"HTTP/1.1 408" in answer(client)
    assert reading.bodies == []


def test_half_sent_headers_are_closed(pages: tuple[int, Reading], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "HEAD_SECONDS", 2.0)
    silent, clients = opened(pages[0]), []
    for _ in range(400):
        clients.append(opened(pages[0]))
        clients[-1].sendall(b"GET / HTTP/1.1\r\nhost: 127.0")
    lines = [answer(client)[:12] for client in clients]
    assert set(lines) == {b"HTTP/1.1 408"}, Counter(lines)
    assert answer(silent) == b""
    for client in (silent, *clients):
        client.close()


def test_a_second_request_on_a_connection_may_not_stop_halfway(
    pages: tuple[int, Reading], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "HEAD_SECONDS", 0.5)
    with opened(pages[0]) as client:
        client.sendall(head(b"content-length: 0"))
        assert b"HTTP/1.1 200" in first_line(client)
        client.sendall(b"GET / HT")
        assert b"HTTP/1.1 408" in answer(client)


@pytest.mark.parametrize("line", [b"x" * 70_000, b"a: b\r\n" * 12_000], ids=["one", "many"])
def test_headers_without_end_are_refused(pages: tuple[int, Reading], line: bytes) -> None:
    with opened(pages[0]) as client:
        client.sendall(b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n" + line)
        assert b"HTTP/1.1 431" in answer(client)


def test_trailers_without_end_are_refused(pages: tuple[int, Reading]) -> None:
    port, reading = pages
    with opened(port) as client:
        client.sendall(head(b"transfer-encoding: chunked") + b"1\r\nx\r\n0\r\nx: ")
        with suppress(OSError):
            for _ in range(40):
                client.sendall(b"x" * 65536)
        answer(client)
    assert reading.bodies == []


def test_small_chunks_are_no_attack(protocol: type[connection.Connection]) -> None:
    reading = Reading()
    patient = BodyLimits(most_bytes=MEGABYTE, pause_seconds=PATIENCE, seconds=PATIENCE)
    with (
        door(RequestGuard(reading, is_allowed=lambda _: True, limits=patient), protocol) as port,
        opened(port) as client,
    ):
        client.sendall(head(b"transfer-encoding: chunked") + b"1\r\nx\r\n" * 20_000 + b"0\r\n\r\n")
        assert b"HTTP/1.1 200" in first_line(client)
    assert reading.bodies == [20_000]


def test_a_whole_address_in_the_first_line_counts_instead_of_the_host(pages: tuple[int, Reading]) -> None:
    port, reading = pages
    with opened(port) as client:
        client.sendall(b"GET http://127.0.0.9/some/page?a=b HTTP/1.1\r\nhost: evil.example\r\n\r\n")
        assert b"HTTP/1.1 200" in first_line(client)
    assert reading.asked == [("/some/page", b"a=b", [b"127.0.0.9"])]


@pytest.mark.parametrize(
    "start",
    [
        b"GET http://evil.example/ HTTP/1.1\r\nhost: 127.0.0.1\r\n",
        b"GET / HTTP/1.1\r\nhost: evil.example\r\nhost: 127.0.0.1\r\n",
    ],
    ids=["whole address", "two hosts"],
)
def test_a_foreign_host_does_not_hide_behind_one_of_ours(pages: tuple[int, Reading], start: bytes) -> None:
    port, reading = pages
    with opened(port) as client:
        client.sendall(start + b"\r\n")
        assert b"HTTP/1.1 400" in first_line(client)
    assert reading.asked == []


def test_the_next_request_may_come_before_the_answer_to_the_last(pages: tuple[int, Reading]) -> None:
    port, reading = pages
    with opened(port) as client:
        client.sendall(head(b"content-length: 4") + b"ha")
        wait_until(lambda: reading.asked)
        client.sendall(b"lf" + head(b"content-length: 5") + b"wh")
        client.sendall(b"ole" + b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n")
        assert answer(client).count(b"HTTP/1.1 200") == 3
    assert reading.bodies == [4, 5, 0]


def test_the_longest_waiting_connection_makes_room_for_a_new_one(
    pages: tuple[int, Reading], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "MOST_CONNECTIONS", 20)
    idle = []
    for _ in range(30):
        idle.append(opened(pages[0]))
        idle[-1].sendall(b"GET / HTTP/1.1\r\n")
    with opened(pages[0]) as client:
        client.sendall(head(b"content-length: 0"))
        assert b"HTTP/1.1 200" in first_line(client)
    assert answer(idle[0]) == b""
    for item in idle:
        item.close()


def test_those_who_were_turned_away_make_room_too(pages: tuple[int, Reading], monkeypatch: pytest.MonkeyPatch) -> None:
    """Strangers whose bodies never end are answered, and then listened to for a moment: that is nobody's place."""
    monkeypatch.setattr(connection, "MOST_CONNECTIONS", 20)
    monkeypatch.setattr(request_guard, "LINGER_SECONDS", PATIENCE)
    strangers = []
    for _ in range(30):
        strangers.append(opened(pages[0]))
        strangers[-1].sendall(head(b"content-length: 100", host=FOREIGN) + b"half")
        assert b"HTTP/1.1 400" in first_line(strangers[-1])
    with opened(pages[0]) as client:
        client.sendall(head(b"content-length: 0"))
        assert b"HTTP/1.1 200" in first_line(client)
    for stranger in strangers:
        stranger.close()


def test_requests_one_upon_the_other_are_answered_in_order_and_no_further_than_headers_may_go(
    pages: tuple[int, Reading],
) -> None:
    port, reading = pages
    with opened(port) as client:
        client.sendall(b"".join(head(b"content-length: %d" % size) + b"x" * size for size in range(2_000, 2_040)))
        client.sendall(b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n")
        assert answer(client).count(b"HTTP/1.1 200") == 41
    assert reading.bodies == [*range(2_000, 2_040), 0]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, made_home: Path) -> Iterator[Server]:
    home = shutil.copytree(made_home, tmp_path_factory.mktemp("limits") / "home")
    with serving(home, "--no-watch", LUCID_WORKER="off") as server:
        yield server


@pytest.mark.parametrize("start", [b"GET /health/", b"POST /health/", b"GET /static/css/base.css", b"GET /"])
def test_nobody_waits_for_the_body_of_a_stranger(server: Server, start: bytes) -> None:
    with opened(server.port) as client:
        client.sendall(start + b" HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 100000\r\n\r\nhalf")
        assert b"HTTP/1.1 403" in first_line(client)


def test_a_whole_server_keeps_nothing_of_what_it_refuses(server: Server) -> None:
    """400 MB under a foreign name."""
    for path in (b"/", b"/capture/v1/messages"):
        with opened(server.port) as client:
            client.sendall(head(b"content-length: 419430400", host=FOREIGN).replace(b" / ", b" %s " % path))
            assert b"HTTP/1.1 400" in first_line(client)
            assert sent_until_closed(client) < 400
    open_files = [os.readlink(link) for link in Path(f"/proc/{server.process.pid}/fd").iterdir()]
    assert not [name for name in open_files if "(deleted)" in name], open_files
    assert server.get("/health/").status == 200
