"""One request and its answer as bytes, with what was measured on the way: what a recording endpoint writes down.

Only headers that are named here are kept. What proves who somebody is, is not among them."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

import msgspec
import zstandard

KEPT_OF_REQUESTS = frozenset(
    {
        "anthropic-beta",
        "anthropic-version",
        "content-encoding",
        "content-type",
        "user-agent",
        "x-app",
        "x-claude-code-agent-id",
        "x-claude-code-session-id",
        "x-stainless-retry-count",
    }
)
KEPT_OF_ANSWERS = frozenset({"content-encoding", "content-type", "request-id", "retry-after", "x-should-retry"})
MOST = 512 * 1024 * 1024
"""Bytes that a file may unfold to: one that claims more is damaged, or a trap."""
Headers = list[tuple[str, str]]


class UnreadableExchangeError(ValueError):
    """A file that is none of ours, or that was cut off."""


class Ending(StrEnum):
    COMPLETE = "complete"
    CUT = "cut"
    """The upstream broke off in the middle of its answer."""
    LEFT = "left"
    """The client went away before the answer was complete."""
    UNREACHABLE = "unreachable"
    """The upstream never answered."""


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    """Of its own: the same exchange is stored once, however often it is read."""
    at: int
    """Milliseconds since the epoch, when the request began."""
    method: str
    path: str
    """Without the query, which may hold anything."""
    headers: Headers
    request: bytes
    status: int | None = None
    answer_headers: Headers = []
    answer: bytes = b""
    first_byte_ms: float | None = None
    duration_ms: float = 0.0
    ended: Ending = Ending.COMPLETE
    problem: str = ""

    def to_bytes(self) -> bytes:
        return zstandard.ZstdCompressor(level=1).compress(msgspec.msgpack.encode(self))

    @classmethod
    def of_bytes(cls, data: bytes) -> Exchange:
        try:
            raw = zstandard.ZstdDecompressor().decompress(data, max_output_size=MOST)
            return msgspec.msgpack.decode(raw, type=cls)
        except (zstandard.ZstdError, msgspec.MsgspecError, MemoryError) as error:
            raise UnreadableExchangeError(str(error)) from error

    def header(self, name: str) -> str:
        return header_in(self.headers, name)

    def answer_header(self, name: str) -> str:
        return header_in(self.answer_headers, name)


def header_in(headers: Headers, name: str) -> str:
    """All values of one name; HTTP lets a list be told in several lines."""
    return ", ".join(value for known, value in headers if known == name)


def kept(headers: Iterable[tuple[bytes, bytes]], names: frozenset[str]) -> Headers:
    """Those that may be written down, with names in lower case."""
    found = ((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in headers)
    return [(name, value) for name, value in found if name in names]
