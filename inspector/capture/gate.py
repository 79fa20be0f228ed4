"""Who may use the recording endpoint: programs of this machine, under its own names; never a page of another site."""

from __future__ import annotations

from collections.abc import Callable

from inspector.capture.headers import value_of
from inspector.capture.proxy import PREFIX, Proxy, Receive, Scope, Send
from inspector.capture.refusing import Refusal, refuse
from inspector.web.origins import is_own

PAGE = "/captures/"
OFF = Refusal(
    404, "not_found_error", "Recording is switched off in Lucid (LUCID_CAPTURE=off). Unset ANTHROPIC_BASE_URL."
)
UNKNOWN_HOST = Refusal(
    400, "invalid_request_error", "Lucid does not answer under this name. Add it to LUCID_ALLOWED_HOSTS if it is yours."
)
FOREIGN = Refusal(403, "permission_error", "Pages of other sites may not send requests through Lucid.")


def is_captured(path: str) -> bool:
    return path == PREFIX or path.startswith(f"{PREFIX}/")


class Gate:
    def __init__(self, proxy: Proxy | None, is_allowed: Callable[[str], bool]) -> None:
        """`proxy`: None if recording is switched off. `is_allowed`: whether a Host header names this machine."""
        self._proxy = proxy
        self._is_allowed = is_allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope)
        if refusal is not None:
            await refuse(send, refusal)
        elif value_of(scope["headers"], b"sec-fetch-mode") == "navigate":
            # A person who opens the address wants to see what it is for.
            await send({"type": "http.response.start", "status": 302, "headers": [(b"location", PAGE.encode())]})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        elif self._proxy is None:
            await refuse(send, OFF)
        else:
            await self._proxy(scope, receive, send)

    def _refusal(self, scope: Scope) -> Refusal | None:
        headers = scope["headers"]
        host = value_of(headers, b"host") or ""
        if not self._is_allowed(host):
            return UNKNOWN_HOST
        site, origin = value_of(headers, b"sec-fetch-site"), value_of(headers, b"origin")
        return None if is_own(site=site, origin=origin, ours=f"{scope['scheme']}://{host}") else FOREIGN
