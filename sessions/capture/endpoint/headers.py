"""Which headers travel on. Those that speak of one connection do not; all others do, repeated ones included."""

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
# The server has answered an expectation itself by then.
NOT_SENT = frozenset({b"host", b"expect"})


def request_headers(given: Iterable[tuple[bytes, bytes]], host: bytes) -> Raw:
    """As they go to the upstream, which has a name of its own."""
    given = list(given)
    sent = [(b"host", host), *((name, value) for name, value in _lasting(given) if name.lower() not in NOT_SENT)]
    if any(name.lower() == b"transfer-encoding" for name, _ in given):
        sent.append((b"transfer-encoding", b"chunked"))
    return sent


def answer_headers(given: Iterable[tuple[bytes, bytes]]) -> Raw:
    return _lasting(list(given))


def has_body(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    return any(name.lower() in (b"content-length", b"transfer-encoding") for name, _ in headers)


def value_of(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> str | None:
    return next((value.decode("latin-1") for known, value in headers if known.lower() == name), None)


def _lasting(given: Raw) -> Raw:
    named = {one.strip().lower() for name, value in given if name.lower() == b"connection" for one in value.split(b",")}
    return [(name, value) for name, value in given if name.lower() not in HOP_BY_HOP | named]
