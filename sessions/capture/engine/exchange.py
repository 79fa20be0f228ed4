"""One request and its answer as bytes, with measured times, as the recording endpoint stores them.

Only the headers named here are kept. No credentials are among them."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

import msgspec
import zstandard

REQUEST_HEADERS = frozenset(
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
QUOTA_HEADERS = frozenset(
    {
        "anthropic-ratelimit-unified-overage-in-use",
        "anthropic-ratelimit-unified-representative-claim",
        "anthropic-ratelimit-unified-status",
    }
)
"""What the answer to a subscriber says of the quota. It decides how long the client asks the cache to live."""
ANSWER_HEADERS = QUOTA_HEADERS | {"content-encoding", "content-type", "request-id", "retry-after", "x-should-retry"}
MAX_BYTES = 512 * 1024 * 1024
"""Bytes that a file may decompress to. A larger one is damaged or hostile."""
Headers = list[tuple[str, str]]


class UnreadableExchangeError(ValueError):
    """The file was not written by Lucid, or was cut off."""


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
    """Unique, so that an exchange is stored once even if it is read again."""
    at: int
    """Milliseconds since the epoch, when the request began."""
    method: str
    path: str
    """Without the query, which may contain anything."""
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
            raw = zstandard.ZstdDecompressor().decompress(data, max_output_size=MAX_BYTES)
            return msgspec.msgpack.decode(raw, type=cls)
        except (zstandard.ZstdError, msgspec.MsgspecError, MemoryError) as error:
            raise UnreadableExchangeError(str(error)) from error

    def header(self, name: str) -> str:
        return join_header(self.headers, name)

    def answer_header(self, name: str) -> str:
        return join_header(self.answer_headers, name)


def join_header(headers: Headers, name: str) -> str:
    """All values of a name, because HTTP allows several headers with one name."""
    return ", ".join(value for header, value in headers if header == name)


def select_headers(headers: Iterable[tuple[bytes, bytes]], names: frozenset[str]) -> Headers:
    """The headers with these names, in lower case."""
    decoded = ((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in headers)
    return [(name, value) for name, value in decoded if name in names]
