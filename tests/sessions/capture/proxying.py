"""The recording endpoint alone, served by the server that `lucid serve` uses, in a thread of the test."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from inspector.startup.server import _config
from sessions.capture.endpoint.gate import Gate
from sessions.capture.endpoint.proxy import Proxy
from sessions.capture.endpoint.recorder import Recorder
from sessions.capture.endpoint.spool import Spool
from sessions.capture.endpoint.upstream import Upstream
from sessions.capture.engine import Exchange
from tests.serving import PATIENCE, wait_until
from tests.sessions.capture.endpoint.rawserver import Pieces, RawServer, Taken, raw_server

HOSTS = ("127.0.0.1", "localhost")


@dataclass
class Proxying:
    port: int
    recorder: Recorder

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/capture"

    def exchanges(self, number: int = 1) -> list[Exchange]:
        """What was recorded, in order, once there are so many: the client has its answer a little earlier."""
        wait_until(lambda: self.recorder.counts.written + self.recorder.counts.lost_count >= number)
        return [Exchange.of_bytes(path.read_bytes()) for path in self.recorder.spool.files()]

    def connected(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def ask(self, data: bytes) -> bytes:
        """Sends these bytes and reads until the connection is closed."""
        with self.connected() as client:
            client.sendall(data)
            received = []
            while piece := client.recv(65536):
                received.append(piece)
        return b"".join(received)


@contextmanager
def proxying(upstream: str, folder: Path, *, recorder: Recorder | None = None, port: int = 0) -> Iterator[Proxying]:
    recorder = recorder or Recorder(Spool(folder / "captures"))
    config = _config()
    proxy = Proxy(Upstream.of(upstream), recorder)
    config.app = Gate(proxy, lambda host: host.rpartition(":")[0] in HOSTS, lambda _: None)
    config.timeout_graceful_shutdown = 0
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", port), backlog=200) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        wait_until(lambda: server.started)
        try:
            yield Proxying(listener.getsockname()[1], recorder)
        finally:
            server.should_exit = server.force_exit = True
            thread.join(PATIENCE)


def post(path: str, body: bytes, *headers: bytes) -> bytes:
    """A request after whose answer the connection ends."""
    lines = [
        b"POST %s HTTP/1.1" % path.encode(),
        b"host: 127.0.0.1:1",
        *headers,
        b"content-length: %d" % len(body),
        b"connection: close",
        b"",
        body,
    ]
    return b"\r\n".join(lines)


def body_of(answer: bytes) -> bytes:
    """The body as the client gets it: whatever frames it on the way is taken off. Raises if it was cut off."""
    head, _, rest = answer.partition(b"\r\n\r\n")
    if b"transfer-encoding: chunked" not in head.lower():
        return rest
    results: list[bytes] = []
    while True:
        size, _, rest = rest.partition(b"\r\n")
        length = int(size, 16)
        if not length:
            assert rest == b"\r\n"
            return b"".join(results)
        assert len(rest) >= length + 2, "cut off"
        results.append(rest[:length])
        rest = rest[length + 2 :]


@contextmanager
def between(answer: Callable[[Taken], Pieces], folder: Path, path: str = "") -> Iterator[tuple[RawServer, Proxying]]:
    """An upstream with such answers, and the endpoint before it."""
    with raw_server(answer) as upstream, proxying(f"{upstream.url}{path}", folder) as proxy:
        yield upstream, proxy
