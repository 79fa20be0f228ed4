"""The recording endpoint: without its secret nothing is handed on, and what is handed on is one request, not two."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.owner.key import owner_key
from tests.attack.area import Area
from tests.attack.client import Browser, raw
from tests.attack.world import World

WAITING = 3.0
"""Seconds. Some of these requests never come to an end, and the server may wait for the rest of them."""


def secrets(world: World, *, thorough: bool) -> Area:
    """Addresses that are nearly the right one."""
    area = Area("recording without the secret")
    before = len(world.upstream.taken)
    for path in _paths(owner_key(world.home).capture_secret, thorough=thorough):
        for method in ("POST", "GET", "OPTIONS", "CONNECT") if thorough else ("POST",):
            answer = raw(world.server.port, _request(method.encode(), path.encode("latin-1")))
            refused = not answer.startswith((b"HTTP/1.1 2", b"HTTP/1.1 502"))
            area.expect(refused, (method, path, answer[:200]))
    area.expect(len(world.upstream.taken) == before, "a request reached the upstream")
    return area


def smuggling(world: World, *, thorough: bool) -> Area:
    """Requests that two readers would part differently, and headers that hold others."""
    area = Area("smuggled requests and headers")
    path = f"/capture/{owner_key(world.home).capture_secret}/v1/messages".encode()
    handed_on = len(world.upstream.taken)
    for number, (head, body) in enumerate(_smuggled()):
        # The stranger behind the first request must not be taken for the owner.
        start = b"POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nX-Attempt: %d\r\n" % (path, number)
        raw(world.server.port, start + head + body, WAITING)
    # Of a slow machine the last ones may come late; each is known by its number.
    taken = world.upstream.taken[handed_on:]
    assert len(taken) > 3, "nothing was handed on, so nothing was tried"
    for number, (head, _) in enumerate(_smuggled()):
        of_this = [item for item in taken if item.values(b"x-attempt") == [b"%d" % number]]
        area.expect(len(of_this) <= 1, (head, [item.line for item in of_this]))
        odd = [item.head for item in of_this if len(item.values(b"host")) != 1 or item.values(b"host") == [b"smuggled"]]
        area.expect(not odd, (head, odd))
        both = [item for item in of_this if item.values(b"content-length") and item.values(b"transfer-encoding")]
        area.expect(not both, (head, [item.head for item in both]))
    strangers = [item.head for item in taken if not item.values(b"x-attempt") or b"smuggled" in item.line]
    area.expect(not strangers, strangers)
    secret = owner_key(world.home).capture_secret.encode()
    leaked = [item.head for item in world.upstream.taken if secret in item.head or secret in item.body]
    area.expect(not leaked, leaked)
    return area


def foreign_pages(world: World, *, thorough: bool) -> Area:
    """A page of another site that knows the address."""
    area = Area("recording for pages of other sites")
    path = f"/capture/{owner_key(world.home).capture_secret}/v1/messages"
    before = len(world.upstream.taken)
    for headers in (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Origin": world.server.url},
        {"Origin": world.server.url.replace("127.0.0.1", "localhost")},
    ):
        for method in ("POST", "GET", "OPTIONS", "PUT"):
            answer = Browser(world.server.port).ask(method, path, "{}", headers)
            held = answer.status_code == 403 and not answer.headers["Access-Control-Allow-Origin"]
            area.expect(held, (method, headers, answer.status_code))
    # Others may still be under way from before; a page of another site is known by what its browser says.
    reached = [
        item.head for item in world.upstream.taken[before:] if b"origin:" in item.head or b"sec-fetch" in item.head
    ]
    area.expect(not reached, ("reached the upstream", reached))
    return area


def _paths(secret: str, *, thorough: bool) -> Iterator[str]:
    message = "/v1/messages"
    yield from (
        f"/capture{tail}" for tail in ("", "/", message, f"//{message}", f"/../capture{message}", f"/.{message}")
    )
    yield from (f"/capture/{wrong}{message}" for wrong in (secret[:-1], f"{secret}x", secret.upper(), secret[::-1]))
    yield f"/capture/%{ord(secret[0]):x}{secret[1:]}{message}"
    yield f"/capture/%2f{secret}{message}"
    yield f"/capture//{secret}{message}"
    yield f"/Capture/{secret}{message}"
    yield f"/%63apture/{secret}x{message}"
    yield f"/capture/x/../{secret}{message}"
    yield f"/capture;{secret}{message}"
    yield f"/capture?{secret}{message}"
    yield f"/capture/{secret}%00{message}"
    yield f"/capture/{secret};x{message}"
    yield f"/captures/{secret}{message}"
    step = 1 if thorough else 8
    for index in range(0, len(secret), step):
        yield f"/capture/{secret[:index]}{'0' if secret[index] != '0' else '1'}{secret[index + 1 :]}{message}"


def _smuggled() -> Iterator[tuple[bytes, bytes]]:
    inner = b"POST /smuggled HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}"
    chunked = b"0\r\n\r\n" + inner
    size = str(len(chunked)).encode()
    yield b"Content-Length: " + size + b"\r\nTransfer-Encoding: chunked\r\n\r\n", chunked
    yield b"Transfer-Encoding: chunked\r\nContent-Length: " + size + b"\r\n\r\n", chunked
    yield b"Content-Length: 2\r\nContent-Length: " + size + b"\r\n\r\n", b"{}" + inner
    yield b"Content-Length: 2, 2\r\n\r\n", b"{}" + inner
    yield b"Content-Length: +2\r\n\r\n", b"{}" + inner
    yield b"Content-Length: 0x2\r\n\r\n", b"{}" + inner
    yield b"Content-Length: -1\r\n\r\n", inner
    yield b"Content-Length : 2\r\n\r\n", b"{}" + inner
    for form in (
        b"xchunked",
        b"chunked, identity",
        b"identity",
        b"\x0bchunked",
        b" chunked ",
        b"chunked\r\nTransfer-Encoding: x",
    ):
        yield b"Transfer-Encoding: " + form + b"\r\nContent-Length: 2\r\n\r\n", chunked
    yield b"Transfer-Encoding : chunked\r\n\r\n", chunked
    yield b"X: y\r\n Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n", b"{}" + inner
    yield b"X: a\rHost: smuggled\r\nContent-Length: 2\r\n\r\n", b"{}"
    yield b"X: a\nHost: smuggled\r\nContent-Length: 2\r\n\r\n", b"{}"
    yield b"X\0Y: a\r\nContent-Length: 2\r\n\r\n", b"{}"
    yield b"Connection: content-length, host\r\nContent-Length: 2\r\n\r\n", b"{}" + inner
    yield b"Connection: transfer-encoding\r\nTransfer-Encoding: chunked\r\n\r\n", chunked
    yield b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n", b"{}" + inner
    yield b"Upgrade: h2c\r\nConnection: upgrade\r\nContent-Length: 2\r\n\r\n", b"{}" + inner
    yield b"Transfer-Encoding: chunked\r\n\r\n", b"2;x=\r\n{}\r\n0\r\nHost: smuggled\r\n\r\n" + inner
    yield b"Transfer-Encoding: chunked\r\n\r\n", b"FFFFFFFFFFFFFFFF2\r\n{}\r\n0\r\n\r\n" + inner
    yield b"Transfer-Encoding: chunked\r\n\r\n", b"2\n{}\n0\n\n" + inner


def _request(method: bytes, path: bytes) -> bytes:
    return method + b" " + path + b" HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"
