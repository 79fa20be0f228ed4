"""Which headers are forwarded: all but those about a single connection."""

from __future__ import annotations

from collections.abc import Iterable

Raw = list[tuple[bytes, bytes]]

HOP_BY_HOP = frozenset(
    {
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    }
)
# `expect` was already answered by the server.
NOT_SENT = frozenset({b"host", b"expect"})


def request_headers(headers: Iterable[tuple[bytes, bytes]], host: bytes) -> Raw:
    """The headers for the upstream, with its own host name."""
    headers = list(headers)
    sent = [(b"host", host), *((name, value) for name, value in _end_to_end(headers) if name.lower() not in NOT_SENT)]
    if any(name.lower() == b"transfer-encoding" for name, _ in headers):
        sent.append((b"transfer-encoding", b"chunked"))
    return sent


def answer_headers(headers: Iterable[tuple[bytes, bytes]]) -> Raw:
    return _end_to_end(list(headers))


def has_body(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    return any(name.lower() in (b"content-length", b"transfer-encoding") for name, _ in headers)


def header_value(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> str | None:
    return next((value.decode("latin-1") for header, value in headers if header.lower() == name), None)


def _end_to_end(headers: Raw) -> Raw:
    connection_headers = {
        item.strip().lower() for name, value in headers if name.lower() == b"connection" for item in value.split(b",")
    }
    return [(name, value) for name, value in headers if name.lower() not in HOP_BY_HOP | connection_headers]
