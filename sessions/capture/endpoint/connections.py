"""Connections to the upstream. The module is slow to import, so the proxy imports it for the first request."""

from __future__ import annotations

import logging
import socket
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import httpx2

from sessions.capture.endpoint.headers import Raw, answer_headers
from sessions.capture.endpoint.upstream import Upstream

CONNECT_SECONDS = 30.0
IDLE_SECONDS = 60.0
MAX_IDLE_CONNECTIONS = 100
# They log addresses of requests, with their queries.
_TALKATIVE = ("httpx2", "httpcore2")


class UnreachableError(Exception):
    """The upstream did not answer."""


class BrokenOffError(Exception):
    """The upstream ended its answer too early."""


class UpstreamAnswer:
    """An answer whose headers have arrived."""

    def __init__(self, response: httpx2.Response) -> None:
        self._response = response
        self.status = response.status_code
        self.headers = answer_headers(response.headers.raw)
        _acknowledge_at_once(response.extensions.get("network_stream"))

    async def chunks(self) -> AsyncIterator[bytes]:
        """The chunks as they arrive, without decoding or buffering."""
        try:
            async for chunk in self._response.aiter_raw():
                yield chunk
        except httpx2.HTTPError as error:
            raise BrokenOffError from error

    async def close(self) -> None:
        await self._response.aclose()


class Connections:
    def __init__(self, upstream: Upstream) -> None:
        for name in _TALKATIVE:
            logging.getLogger(name).setLevel(logging.WARNING)
        self._origin = httpx2.URL(scheme=upstream.scheme, host=upstream.host, port=upstream.port)
        self._client = httpx2.AsyncClient(
            # No limits: clients decide how many requests they send and how long they wait.
            limits=httpx2.Limits(
                max_connections=None, max_keepalive_connections=MAX_IDLE_CONNECTIONS, keepalive_expiry=IDLE_SECONDS
            ),
            timeout=None,
            # Some networks reach the API through a proxy named in the environment; a local upstream never needs one.
            trust_env=upstream.scheme == "https",
            follow_redirects=False,
        )

    async def open(self, method: str, target: bytes, headers: Raw, body: AsyncIterator[bytes]) -> UpstreamAnswer:
        """Sends the request unchanged. Raises UnreachableError, or what the body raises."""
        request = httpx2.Request(
            method,
            self._origin,
            headers=headers,
            stream=_Body(body),
            extensions={"target": target, "timeout": {"connect": CONNECT_SECONDS}},
        )
        try:
            return UpstreamAnswer(await self._client.send(request, stream=True))
        except httpx2.HTTPError as error:
            raise UnreachableError(str(error).strip() or type(error).__name__) from error


def _acknowledge_at_once(stream: Any) -> None:
    """Turns off delayed acknowledgement, for which a server that sends small pieces would wait 40 milliseconds each
    time. Only Linux has the option."""
    connected = stream.get_extra_info("socket") if stream is not None else None
    if connected is not None and hasattr(socket, "TCP_QUICKACK"):
        # The whole answer may have arrived and the connection be closed already.
        with suppress(OSError):
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)


class _Body(httpx2.AsyncByteStream):
    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks = chunks

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._chunks
