"""Who may use the recording endpoint: programs of this machine, under its own names; never a page of another site."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from urllib.parse import unquote

from inspector.web.body import (
    Body,
    BodyError,
    BodyLimits,
    BodyTooLargeError,
    Receive,
    Scope,
    Send,
    announced_length,
)
from inspector.web.origins import is_own_origin
from sessions.capture.endpoint.headers import value_of
from sessions.capture.endpoint.proxy import PREFIX, Proxy
from sessions.capture.endpoint.refusing import Refusal, refuse

PAGE = "/captures/"
UPLOADS = BodyLimits(most_bytes=512 * 1024 * 1024, pause_seconds=120.0)
"""The API takes files of 500 MB. They are handed on as they come."""
OFF = Refusal(
    404, "not_found_error", "Recording is switched off in Lucid (LUCID_CAPTURE=off). Unset ANTHROPIC_BASE_URL."
)
UNKNOWN_HOST = Refusal(
    400, "invalid_request_error", "Lucid does not answer under this name. Add it to LUCID_ALLOWED_HOSTS if it is yours."
)
MUCH = Refusal(413, "request_too_large", "What was sent is larger than anything that the API takes.")
SLOW = Refusal(408, "invalid_request_error", "What was sent did not arrive in time.")
FOREIGN = Refusal(403, "permission_error", "Pages of other sites may not send requests through Lucid.")
NO_SECRET = Refusal(
    403,
    "permission_error",
    "This address of Lucid's recording endpoint is not the owner's. The page /captures/ shows the right one.",
)


def is_captured(path: str) -> bool:
    return path == PREFIX or path.startswith(f"{PREFIX}/")


class Gate:
    def __init__(
        self,
        proxy: Proxy | None,
        is_allowed: Callable[[str], bool],
        secret_of: Callable[[Scope], str | None],
        limits: BodyLimits = UPLOADS,
    ) -> None:
        """`proxy`: None if recording is switched off. `is_allowed`: whether a Host header names this machine.
        `secret_of`: the part of the path by which the owner is known; None for a request that needs none."""
        self._proxy = proxy
        self._is_allowed = is_allowed
        self._secret_of = secret_of
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope)
        if refusal is not None:
            await refuse(receive, send, refusal)
        elif value_of(scope["headers"], b"sec-fetch-mode") == "navigate":
            # A person who opens the address wants to see what it is for.
            await send({"type": "http.response.start", "status": 302, "headers": [(b"location", PAGE.encode())]})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        elif (known := self._without_secret(scope)) is None:
            await refuse(receive, send, NO_SECRET)
        elif self._proxy is None:
            await refuse(receive, send, OFF)
        else:
            await self._hand_on(self._proxy, known, receive, send)

    async def _hand_on(self, proxy: Proxy, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await proxy(scope, Body(receive, self._limits).receive, send)
        except BodyError as error:
            await refuse(receive, send, MUCH if isinstance(error, BodyTooLargeError) else SLOW)

    def _without_secret(self, scope: Scope) -> Scope | None:
        """The request as it would be without the secret in its path, which nobody else needs to see; None if the path
        has another one. The written path counts: it goes to the upstream, and the decoded one may differ."""
        secret = self._secret_of(scope)
        if secret is None:
            return scope
        start, rest = _parted(scope["raw_path"])
        if not hmac.compare_digest(start, f"{PREFIX}/{secret}".encode()):
            return None
        return {**scope, "path": PREFIX + unquote(rest.decode("latin-1")), "raw_path": PREFIX.encode() + rest}

    def _refusal(self, scope: Scope) -> Refusal | None:
        headers = scope["headers"]
        host = value_of(headers, b"host") or ""
        if not self._is_allowed(host):
            return UNKNOWN_HOST
        if announced_length(headers) > self._limits.most_bytes:
            return MUCH
        site, origin = value_of(headers, b"sec-fetch-site"), value_of(headers, b"origin")
        return None if is_own_origin(site=site, origin=origin, ours=f"{scope['scheme']}://{host}") else FOREIGN


def _parted(path: bytes) -> tuple[bytes, bytes]:
    """`/capture/secret/v1/messages` in front of its third slash, and from there on."""
    end = path.find(b"/", len(PREFIX) + 1)
    return (path, b"") if end < 0 else (path[:end], path[end:])
