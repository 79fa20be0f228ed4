"""An upstream that answers with exactly the bytes that a test gives it, and keeps those that it was sent."""

from __future__ import annotations

import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field


@dataclass
class Taken:
    """One request as it came over the wire."""

    head: bytes
    body: bytes

    @property
    def line(self) -> bytes:
        return self.head.split(b"\r\n", 1)[0]

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        pairs = (line.split(b": ", 1) for line in self.head.split(b"\r\n")[1:] if line)
        return [(name.lower(), value) for name, value in pairs]

    def values(self, name: bytes) -> list[bytes]:
        return [value for known, value in self.headers if known == name]


Pieces = Iterable[bytes | float]
"""Bytes to send, and seconds to wait between them."""


@dataclass
class RawServer:
    answer: Callable[[Taken], Pieces]
    """What to send; the connection is closed afterwards unless the answer says its length."""
    url: str = ""
    taken: list[Taken] = field(default_factory=list)
    left: int = 0
    """Clients that closed before everything was sent."""
    connections: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def serve(self, client: socket.socket) -> None:
        with self._lock:
            self.connections += 1
        with client, client.makefile("rb") as file:
            while (taken := _read(file)) is not None:
                with self._lock:
                    self.taken.append(taken)
                if not self._send(client, self.answer(taken)):
                    return

    def _send(self, client: socket.socket, pieces: Pieces) -> bool:
        """Whether the connection stays open."""
        head = b""
        try:
            for piece in pieces:
                if isinstance(piece, bytes):
                    head = head or piece
                    client.sendall(piece)
                else:
                    _wait(client, piece)
        except OSError:
            with self._lock:
                self.left += 1
            return False
        return b"content-length:" in head and b"connection: close" not in head


def _wait(client: socket.socket, seconds: float) -> None:
    """Notices within moments that the client has gone."""
    end = time.monotonic() + seconds
    while (remaining := end - time.monotonic()) > 0:
        client.settimeout(min(remaining, 0.02))
        try:
            if client.recv(1, socket.MSG_PEEK) == b"":
                raise ConnectionResetError
        except TimeoutError:
            continue
        finally:
            client.settimeout(None)


def _read(file: object) -> Taken | None:
    lines: list[bytes] = []
    while (line := file.readline()) not in (b"\r\n", b""):  # type: ignore[attr-defined]
        lines.append(line)
    if not lines:
        return None
    head = b"".join(lines)
    length = re.search(rb"(?im)^content-length: (\d+)", head)
    if length:
        return Taken(head, file.read(int(length[1])))  # type: ignore[attr-defined]
    if re.search(rb"(?im)^transfer-encoding: chunked", head):
        return Taken(head, b"".join(_chunks(file)))
    return Taken(head, b"")


def _chunks(file: object) -> Iterator[bytes]:
    # A body that is cut off ends without the size of another chunk.
    while size := int(file.readline() or b"0", 16):  # type: ignore[attr-defined]
        yield file.read(size)  # type: ignore[attr-defined]
        file.readline()  # type: ignore[attr-defined]
    file.readline()  # type: ignore[attr-defined]


@contextmanager
def raw_server(answer: Callable[[Taken], Pieces], *, tls: ssl.SSLContext | None = None) -> Iterator[RawServer]:
    server = RawServer(answer)
    with socket.create_server(("127.0.0.1", 0), backlog=200) as listener:
        server.url = f"http{'s' if tls else ''}://127.0.0.1:{listener.getsockname()[1]}"

        def serve(client: socket.socket) -> None:
            # A client that does not trust us hangs up.
            with suppress(OSError):
                server.serve(client if tls is None else tls.wrap_socket(client, server_side=True))

        def accept() -> None:
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=serve, args=(client,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        try:
            yield server
        finally:
            listener.shutdown(socket.SHUT_RDWR)


def whole(body: bytes, *headers: bytes, status: bytes = b"200 OK") -> Pieces:
    """An answer that says its length."""
    return [b"\r\n".join([b"HTTP/1.1 " + status, *headers, b"content-length: %d" % len(body), b"", body])]


def chunked(*pieces: bytes | float, headers: Sequence[bytes] = (), end: bool = True) -> Pieces:
    """A streamed answer; without an end, it is cut off."""
    head = b"\r\n".join([b"HTTP/1.1 200 OK", *headers, b"transfer-encoding: chunked", b"", b""])
    framed = [b"%x\r\n%s\r\n" % (len(piece), piece) if isinstance(piece, bytes) else piece for piece in pieces]
    return [head, *framed, *([b"0\r\n\r\n"] if end else [])]
