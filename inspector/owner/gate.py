"""Lets only the owner through to the application. It needs only the headers: no body is read, no thread taken and no
database queried before. Everybody else is told how to prove that they are the owner, and nothing more."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from inspector.owner.access_tokens import token_use
from inspector.owner.key import COOKIE_SECONDS, owner_key
from inspector.web.request_guard import answer_and_close

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

ENTRY = "/enter/"
HEALTH = "/health/"
STATIC = "/static/"
ICON = "/favicon.ico"
"""Open to all, like the static files: they are the same in every Lucid and hold nothing private."""
READING = ("GET", "HEAD")
STRANGER = "lucid.stranger"
"""Set in the scope of a request that is answered without proof, with as little as possible."""
SENTENCE = "This Lucid answers its owner alone. Run `lucid open` and open the address that it prints."
HTML = (b"content-type", b"text/html; charset=utf-8")
SAFE = [
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
]


class OwnerGate:
    def __init__(self, app: App, home: Path, page: Callable[[str], str]) -> None:
        """`page`: the page for people, by its name: `refused`, `expired` or `entered`."""
        self._app = app
        self._home = home
        self._page = page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return  # no other protocol is served
        path = scope["path"]
        if path == ENTRY and scope["method"] == "GET":
            await self._enter(scope, receive, send)
        elif is_proved_by_socket(scope) or self._has_cookie(scope):
            await self._app(scope, receive, send)
        elif _has_body(scope):
            # The body of a stranger is never read, not even at addresses that are open to all.
            await self._refuse(scope, receive, send)
        elif _is_open_to_all(scope):
            await self._app({**scope, STRANGER: True}, receive, send)
        else:
            await self._refuse(scope, receive, send)

    async def _enter(self, scope: Scope, receive: Receive, send: Send) -> None:
        query = parse_qs(scope["query_string"].decode("latin-1"))
        if token_use(self._home, query.get("token", [""])[0]):
            key = owner_key(self._home)
            cookie = f"{key.cookie_name}={key.cookie(time.time())}"
            await self._welcome(scope, send, f"{cookie}; Max-Age={COOKIE_SECONDS}; Path=/; HttpOnly; SameSite=Strict")
        elif self._has_cookie(scope) or is_proved_by_socket(scope):
            await self._welcome(scope, send, None)
        else:
            await self._refuse(scope, receive, send, "expired")

    async def _welcome(self, scope: Scope, send: Send, cookie: str | None) -> None:
        headers = [*SAFE, *([(b"set-cookie", cookie.encode())] if cookie else [])]
        # After a link from another site the browser does not send the new cookie on a redirect, but does on a refresh.
        if _header(scope, b"sec-fetch-site") in ("cross-site", "same-site"):
            body = self._page("entered").encode()
            await _answer(send, 200, [*headers, (b"refresh", b"0; url=/"), HTML], body)
        else:
            await _answer(send, 303, [*headers, (b"location", b"/")], b"")

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, page: str = "refused") -> None:
        accepted = _header(scope, b"accept")
        if _header(scope, b"hx-request"):
            # The page around it is private too, so all of it is reloaded.
            kind, body = (b"hx-refresh", b"true"), b""
        elif "text/html" in accepted:
            kind, body = HTML, self._page(page).encode()
        elif "application/json" in accepted:
            kind, body = (b"content-type", b"application/json"), json.dumps({"error": SENTENCE}).encode()
        else:
            kind, body = (b"content-type", b"text/plain; charset=utf-8"), f"{SENTENCE}\n".encode()
        headers = [*SAFE, kind, (b"content-length", str(len(body)).encode()), (b"connection", b"close")]
        if scope["method"] == "HEAD":
            body = b""
        await answer_and_close(receive, send, 403, headers, body)

    def _has_cookie(self, scope: Scope) -> bool:
        key = owner_key(self._home)
        cookie = _cookies(scope).get(key.cookie_name)
        return cookie is not None and key.admits(cookie, time.time())


def is_stranger(request: object) -> bool:
    """`request`: of Django. Whether it is answered without proof."""
    scope: Mapping[str, Any] = getattr(request, "scope", {})
    return bool(scope.get(STRANGER))


def is_proved_by_socket(scope: Scope) -> bool:
    """A socket in the file system lets only its owner connect; see `inspector.startup.connection`. It has no port."""
    server = scope.get("server")
    return server is not None and server[1] is None


def _is_open_to_all(scope: Scope) -> bool:
    path = scope["path"]
    return scope["method"] in READING and (path in (HEALTH, ICON) or path.startswith(STATIC))


def _has_body(scope: Scope) -> bool:
    return bool(_header(scope, b"transfer-encoding")) or _header(scope, b"content-length") not in ("", "0")


def _cookies(scope: Scope) -> dict[str, str]:
    cookies: dict[str, str] = {}
    for name, value in scope["headers"]:
        if name == b"cookie":
            for pair in value.decode("latin-1").split(";"):
                name, _, content = pair.strip().partition("=")
                cookies[name] = content
    return cookies


def _header(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for header, value in scope["headers"] if header == name), "")


async def _answer(send: Send, status: int, headers: Headers, body: bytes) -> None:
    headers = [*headers, (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
