"""Reads the body of a request within limits of size and time. Otherwise any body would be kept whole before a view sees
it, and the server would wait for a client that stops in the middle."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class BodyLimits:
    most_bytes: int
    """Bytes."""
    pause_seconds: float
    """Seconds without data."""
    seconds: float | None = None
    """Seconds from the first byte to the last."""


class BodyError(Exception):
    """The body exceeds a limit; the rest is not read."""

    status = 400


class BodyTooLargeError(BodyError):
    status = 413


class BodyTooSlowError(BodyError):
    status = 408


class Body:
    """`receive` of a request, within limits. After the body only the end of the connection can follow, which has no
    time limit."""

    def __init__(self, receive: Receive, limits: BodyLimits) -> None:
        self._receive = receive
        self._limits = limits
        self._size = 0
        self._whole = False
        self._ends = None if limits.seconds is None else asyncio.get_running_loop().time() + limits.seconds

    async def receive(self) -> Mapping[str, Any]:
        if self._whole:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._patience()):
                message = await self._receive()
        except TimeoutError:
            raise BodyTooSlowError from None
        self._size += len(message.get("body", b""))
        self._whole = message["type"] != "http.request" or not message.get("more_body", False)
        if self._size > self._limits.most_bytes:
            raise BodyTooLargeError
        return message

    def _patience(self) -> float:
        pause = asyncio.get_running_loop().time() + self._limits.pause_seconds
        return pause if self._ends is None else min(pause, self._ends)


def announced_length(headers: list[tuple[bytes, bytes]]) -> int:
    """Content-Length, or 0 without one. The server has already refused what is no number."""
    return max((int(value) for name, value in headers if name == b"content-length" and value.isdigit()), default=0)
