"""Who may use the recording endpoint: programs that use an allowed host name, but no pages of other sites."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from urllib.parse import unquote

from inspector.web.body import Body, BodyError, BodyLimits, BodyTooLargeError, Receive, Scope, Send, announced_length
from inspector.web.origins import is_own_origin
from sessions.capture.endpoint.headers import header_value
from sessions.capture.endpoint.proxy import PREFIX, Proxy
from sessions.capture.endpoint.refusals import Refusal, refuse

PAGE = "/captures/"
UPLOADS = BodyLimits(most_bytes=512 * 1024 * 1024, pause_seconds=120.0)
"""The API accepts files of 500 MB, which are streamed."""
OFF = Refusal(
    404, "not_found_error", "Recording is switched off in Lucid (LUCID_CAPTURE=off). Unset ANTHROPIC_BASE_URL."
)
UNKNOWN_HOST = Refusal(
    400, "invalid_request_error", "Lucid does not answer under this name. Add it to LUCID_ALLOWED_HOSTS if it is yours."
)
TOO_LARGE = Refusal(413, "request_too_large", "What was sent is larger than anything that the API takes.")
TOO_SLOW = Refusal(408, "invalid_request_error", "What was sent did not arrive in time.")
FOREIGN_PAGE = Refusal(403, "permission_error", "Pages of other sites may not send requests through Lucid.")
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
        `secret_of`: the secret that the path must contain; None if the request needs none."""
        self._proxy = proxy
        self._is_allowed = is_allowed
        self._secret_of = secret_of
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope)
        if refusal is not None:
            await refuse(receive, send, refusal)
        elif header_value(scope["headers"], b"sec-fetch-mode") == "navigate":
            # Somebody opened the address in a browser: show the page about it.
            await send({"type": "http.response.start", "status": 302, "headers": [(b"location", PAGE.encode())]})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        elif (known_scope := self._without_secret(scope)) is None:
            await refuse(receive, send, NO_SECRET)
        elif self._proxy is None:
            await refuse(receive, send, OFF)
        else:
            await self._hand_on(self._proxy, known_scope, receive, send)

    async def _hand_on(self, proxy: Proxy, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await proxy(scope, Body(receive, self._limits).receive, send)
        except BodyError as error:
            await refuse(receive, send, TOO_LARGE if isinstance(error, BodyTooLargeError) else TOO_SLOW)

    def _without_secret(self, scope: Scope) -> Scope | None:
        """The request without the secret in its path; None if the secret is wrong. The raw path counts: it goes
        to the upstream, and the decoded one may differ."""
        secret = self._secret_of(scope)
        if secret is None:
            return scope
        start, rest = _split_secret(scope["raw_path"])
        if not hmac.compare_digest(start, f"{PREFIX}/{secret}".encode()):
            return None
        return {**scope, "path": PREFIX + unquote(rest.decode("latin-1")), "raw_path": PREFIX.encode() + rest}

    def _refusal(self, scope: Scope) -> Refusal | None:
        headers = scope["headers"]
        host = header_value(headers, b"host") or ""
        if not self._is_allowed(host):
            return UNKNOWN_HOST
        if announced_length(headers) > self._limits.most_bytes:
            return TOO_LARGE
        site, origin = header_value(headers, b"sec-fetch-site"), header_value(headers, b"origin")
        return None if is_own_origin(site=site, origin=origin, ours=f"{scope['scheme']}://{host}") else FOREIGN_PAGE


def _split_secret(path: bytes) -> tuple[bytes, bytes]:
    """Splits `/capture/secret/v1/messages` at its third slash."""
    end = path.find(b"/", len(PREFIX) + 1)
    return (path, b"") if end < 0 else (path[:end], path[end:])
