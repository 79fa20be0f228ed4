"""Connections to the upstream. Slow to import, so whoever hands requests on imports it when the first one comes."""

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
KEPT_SECONDS = 60.0
KEPT = 100
# They log addresses of requests, with their queries.
_TALKATIVE = ("httpx2", "httpcore2")


class UnreachableError(Exception):
    """No answer came."""


class BrokenOffError(Exception):
    """The answer ended before its end."""


class Opened:
    """An answer whose headers are there."""

    def __init__(self, response: httpx2.Response) -> None:
        self._response = response
        self.status = response.status_code
        self.headers = answer_headers(response.headers.raw)
        _acknowledge_at_once(response.extensions.get("network_stream"))

    async def chunks(self) -> AsyncIterator[bytes]:
        """As they come: nothing is unpacked, gathered or cut."""
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
            # As many at once as there are clients; how long an answer may take is for them to say.
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=KEPT, keepalive_expiry=KEPT_SECONDS),
            timeout=None,
            # A proxy of the environment is how some networks reach the API. What is near is never reached through one.
            trust_env=upstream.scheme == "https",
            follow_redirects=False,
        )

    async def open(self, method: str, target: bytes, headers: Raw, body: AsyncIterator[bytes]) -> Opened:
        """Nothing is added to the request. Raises UnreachableError, or what the body raises."""
        request = httpx2.Request(
            method,
            self._origin,
            headers=headers,
            stream=_Body(body),
            extensions={"target": target, "timeout": {"connect": CONNECT_SECONDS}},
        )
        try:
            return Opened(await self._client.send(request, stream=True))
        except httpx2.HTTPError as error:
            raise UnreachableError(str(error).strip() or type(error).__name__) from error


def _acknowledge_at_once(stream: Any) -> None:
    """A server that sends in small pieces waits with the next until the last has been acknowledged, for which a socket
    that has just sent something takes 40 milliseconds, unless it is told not to. Only Linux can be told."""
    connected = stream.get_extra_info("socket") if stream is not None else None
    if connected is not None and hasattr(socket, "TCP_QUICKACK"):
        # The answer may have come whole, and the connection be gone.
        with suppress(OSError):
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)


class _Body(httpx2.AsyncByteStream):
    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks = chunks

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._chunks
