"""Checks a request by its headers, before its body is read and a thread is used for it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from inspector.web.body import (
    Body,
    BodyError,
    BodyLimits,
    BodyTooLargeError,
    BodyTooSlowError,
    Receive,
    Scope,
    Send,
    announced_length,
)
from inspector.web.origins import is_own_origin

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
LINGER_SECONDS = 2.0
LINGER_BYTES = 16 * 1024 * 1024

logger = logging.getLogger(__name__)

Headers = Sequence[tuple[bytes, bytes]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Refusal:
    status: int
    sentence: str


UNKNOWN_HOST = Refusal(400, "Lucid does not answer under this name. Add it to LUCID_ALLOWED_HOSTS if it is yours.")
FOREIGN = Refusal(403, "Only pages of Lucid itself may change anything here.")
SLOW = Refusal(408, "What was sent did not arrive in time, so nothing was done. Try again.")


def too_large(most: int) -> Refusal:
    megabytes = most // (1024 * 1024)
    return Refusal(413, f"What was sent is larger than {megabytes} MB, so nothing of it was read. Shorten it.")


def refusal_of(*, method: str, host: str, scheme: str, site: str | None, origin: str | None) -> Refusal | None:
    """Why a page of another site may not send this request. The host was checked before."""
    own = is_own_origin(site=site, origin=origin, ours=f"{scheme}://{host}")
    return None if method in SAFE_METHODS or own else FOREIGN


class RequestGuard:
    """ASGI middleware that passes on only allowed requests."""

    def __init__(
        self, app: App, *, is_allowed: Callable[[str], bool], limits: BodyLimits, headers: Headers = ()
    ) -> None:
        """`is_allowed`: whether a Host header names this machine. `headers`: added to refusals."""
        self._app = app
        self._is_allowed = is_allowed
        self._limits = limits
        self._headers = headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope)
        if refusal is not None:
            await self._turn_away(receive, send, refusal)
            return
        try:
            await self._app(scope, Body(receive, self._limits).receive, send)
        except BodyTooLargeError:
            await self._turn_away(receive, send, too_large(self._limits.most_bytes))
        except BodyTooSlowError:
            await self._turn_away(receive, send, SLOW)

    def _refusal(self, scope: Scope) -> Refusal | None:
        headers: dict[bytes, str] = {name: value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get(b"host", "")
        if not self._is_allowed(host):
            return UNKNOWN_HOST
        if announced_length(scope["headers"]) > self._limits.most_bytes:
            return too_large(self._limits.most_bytes)
        site, origin = headers.get(b"sec-fetch-site"), headers.get(b"origin")
        return refusal_of(method=scope["method"], host=host, scheme=scope["scheme"], site=site, origin=origin)

    async def _turn_away(self, receive: Receive, send: Send, refusal: Refusal) -> None:
        logger.info("request_refused: %s %s", refusal.status, refusal.sentence)
        body = f"{refusal.sentence}\n".encode()
        headers = [
            *self._headers,
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
            (b"connection", b"close"),
        ]
        await answer_and_close(receive, send, refusal.status, headers, body)


async def answer_and_close(receive: Receive, send: Send, status: int, headers: Headers, body: bytes) -> None:
    """Answers at once, then discards the rest of the request for a moment: closing a connection with unread bytes would
    lose the answer."""
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": True})
    try:
        async with asyncio.timeout(LINGER_SECONDS):
            await _drain(receive)
    except (TimeoutError, BodyError):
        pass  # that was long enough
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _drain(receive: Receive) -> None:
    left = LINGER_BYTES
    while left > 0:
        message = await receive()
        if message["type"] == "http.disconnect" or not message.get("more_body", False):
            return
        left -= len(message.get("body", b""))
