"""Connections with h11 as parser, which is pure Python and comes with uvicorn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from inspector.startup.connection import Connection, one_host

MOST_BUFFERED = 1024 * 1024
"""More than `Connection` allows, which counts too and gives a better answer."""

Event = Any
"""h11 has no common base for events and the two words NEED_DATA and PAUSED."""


class _Parser(h11.Connection):
    """Shows each event to the connection before uvicorn sees it."""

    def __init__(self, on_event: Callable[[Event], Event]) -> None:
        super().__init__(h11.SERVER, MOST_BUFFERED)
        self._on_event = on_event

    def next_event(self) -> Event:
        return self._on_event(super().next_event())


class H11Connection(Connection, H11Protocol):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.conn = _Parser(self._count_event)

    def data_received(self, data: bytes) -> None:
        if not self._in_request and not self._is_idle:
            # The next request came before this one was answered: h11 keeps it, and uvicorn reads no more meanwhile.
            H11Protocol.data_received(self, data)
            return
        if not self._in_request:
            self._request_begins()
        super().data_received(data)

    def _count_event(self, event: Event) -> Event:
        if isinstance(event, h11.Request):
            if not self._in_request:
                self._request_begins()
            self._head_came()
            return _with_one_host(event)
        if isinstance(event, h11.Data):
            self._body_came(len(event.data))
        elif isinstance(event, h11.EndOfMessage):
            self._request_ends()
            self._around = 0  # what follows belongs to the next request
        elif event is h11.NEED_DATA and not self._in_request and self._is_idle and self.conn.trailing_data[0]:
            self._request_begins()
        return event


def _with_one_host(request: h11.Request) -> h11.Request:
    """h11 refuses two Host headers itself, but leaves a full URL where a path is expected."""
    if request.target.startswith(b"/") or b"://" not in request.target:
        return request
    headers = one_host(request.target, list(request.headers))
    parts = urlsplit(request.target)
    target = (parts.path or b"/") + (b"?" + parts.query if parts.query else b"")
    return h11.Request(method=request.method, headers=headers, target=target, http_version=request.http_version)
