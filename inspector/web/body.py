"""The body of a request, read no further and no longer than it may be. Without this, whatever somebody sends would be
kept whole before anybody asks whether it is wanted, and somebody who stops in the middle would be waited for."""

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
    """Seconds in which nothing comes."""
    seconds: float | None = None
    """From the first byte to the last."""


class BodyError(Exception):
    """The rest of the body is not waited for."""

    status = 400


class BodyTooLargeError(BodyError):
    status = 413


class BodyTooSlowError(BodyError):
    status = 408


class Body:
    """`receive` of a request, within limits. Once the body is whole, only the end of the connection can follow, and
    that may take as long as it likes."""

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
    """How long the body is, by its header; 0 if that does not say. The server has refused what is no number."""
    return max((int(value) for name, value in headers if name == b"content-length" and value.isdigit()), default=0)
