"""Connections with httptools as parser, which is fast."""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from inspector.startup.connection import Connection, one_host


class HttptoolsConnection(Connection, HttpToolsProtocol):
    def on_message_begin(self) -> None:
        self._request_begins()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._head_came()
        self.headers[:] = one_host(self.url, self.headers)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._body_came(len(body))
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._request_ends()
        super().on_message_complete()
