"""Client connections, which are closed if they keep the server waiting. By itself the server would keep half a request
for ever, and read headers without end. Requests are parsed by httptools if it is installed, else by h11. This module
has the rules for both."""

from __future__ import annotations

import asyncio
import os
import socket
import struct
from asyncio import TimerHandle
from http import HTTPStatus
from typing import Any

_CREDENTIALS = struct.Struct("3i")
HEAD_SECONDS = 10.0
"""From the first byte of a request, or the start of the connection, to the end of the headers."""
STALLED_SECONDS = 300.0
"""A client that reads nothing of the answer for so long is gone. Agents that wait for a model are never that slow."""
MOST_HEAD = 64 * 1024
MOST_CONNECTIONS = 512
OVERHEAD = 16
"""Most bytes around each byte of a body, if it comes in the smallest chunks."""

SLOW = "The request did not arrive in time.\n"
MUCH = "The headers of the request are too large.\n"
FULL = "Lucid has more connections than it can serve. Try again.\n"


class Connection(asyncio.Protocol):
    """Mixin for a protocol of uvicorn, which has these attributes and calls these methods."""

    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    connections: set[Any]
    cycle: Any
    """The current request, or the last one."""
    _waits_for_head: TimerHandle | None = None
    _stalled: TimerHandle | None = None
    _around = 0
    """Bytes of this request outside its body."""
    _inside = 0
    _begun = 0
    """Bytes already received of a request that starts now."""
    _in_request = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if not is_from_owner(transport.get_extra_info("socket")):
            transport.abort()
            return
        self._wait_for_head()
        if len(self.connections) > MOST_CONNECTIONS:
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_came()
        self._clear_stall()
        self._unset_keepalive_if_required()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._clear_stall()
        self._stalled = self.loop.call_later(STALLED_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        self._clear_stall()
        super().resume_writing()

    def data_received(self, data: bytes) -> None:
        # A chunk that starts in the middle of a request may have much of its body: it does not count for the next.
        self._begun = 0 if self._in_request else len(data)
        self._around += len(data)
        super().data_received(data)
        if self._around > MOST_HEAD + OVERHEAD * self._inside and not self.transport.is_closing():
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, MUCH)

    def _request_begins(self) -> None:
        self._around, self._inside, self._in_request = self._begun, 0, True
        self._wait_for_head()

    def _body_came(self, size: int) -> None:
        self._inside += size
        self._around -= size

    def _request_ends(self) -> None:
        self._in_request, self._begun = False, 0

    def _unset_keepalive_if_required(self) -> None:
        super()._unset_keepalive_if_required()  # type: ignore[misc]

    @property
    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _wait_for_head(self) -> None:
        if self._waits_for_head is None:
            self._waits_for_head = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _head_came(self) -> None:
        if self._waits_for_head is not None:
            self._waits_for_head.cancel()
            self._waits_for_head = None

    def _clear_stall(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _give_up(self) -> None:
        self._waits_for_head = None
        if self.transport.is_closing():
            return
        if self._is_idle and self._around:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, SLOW)
        else:
            self.transport.close()

    @property
    def _is_turned_away(self) -> bool:
        """Whether it was answered in the middle of its request and stays open only so that the answer arrives."""
        return self.cycle is not None and self.cycle.response_started and self.cycle.more_body

    def _make_room(self) -> None:
        """Closes the connection that has kept the server waiting longest, or one that has its answer. If all are busy,
        refuses the new one."""
        others = [other for other in self.connections if isinstance(other, Connection) and other is not self]
        waiting = [other for other in others if other._is_idle] or [other for other in others if other._is_turned_away]
        if waiting:
            # Connections in the middle of their headers go before those kept open between two requests.
            oldest = min(
                waiting, key=lambda other: other._waits_for_head.when() if other._waits_for_head else float("inf")
            )
            self.connections.discard(oldest)
            oldest.transport.abort()
        else:
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, FULL)

    def _refuse(self, status: HTTPStatus, sentence: str) -> None:
        if self._is_idle:
            head = (
                f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: text/plain; charset=utf-8\r\n"
                f"content-length: {len(sentence)}\r\nconnection: close\r\n\r\n"
            )
            self.transport.write((head + sentence).encode("ascii"))
        self.transport.close()


def one_host(target: bytes, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Reduces the Host headers to one: a full URL in the request line overrides it, and two different hosts become a
    name that no machine has."""
    hosts = [value for name, value in headers if name == b"host"]
    _, whole, rest = target.partition(b"://")
    if whole and not target.startswith(b"/"):
        hosts = [rest.partition(b"/")[0]]
    elif len(hosts) < 2:
        return headers
    return [*(header for header in headers if header[0] != b"host"), (b"host", b",".join(hosts))]


def is_from_owner(connection: socket.socket) -> bool:
    """Whether this user or root is connected. Other kinds of sockets do not tell."""
    if connection.family != socket.AF_UNIX:
        return True
    _, uid, _ = _CREDENTIALS.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))
    return uid in (0, os.geteuid())
