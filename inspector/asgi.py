"""The ASGI application: the pages, and the recording endpoint, which bypasses Django because it needs neither threads
nor the database."""

from __future__ import annotations

import os

import django
from django.conf import settings
from django.http.request import split_domain_port, validate_host

# Views queue tasks, so the application that they are queued in has to exist here.
from inspector.celery import app as celery_app
from inspector.middleware import HEADERS
from inspector.owner.gate import OwnerGate, is_proved_by_socket
from inspector.owner.key import owner_key
from inspector.owner.page import entry_page
from inspector.pages.pool import Pages
from inspector.web.body import BodyLimits, Receive, Scope, Send
from inspector.web.request_guard import RequestGuard
from sessions.capture.endpoint.gate import Gate, is_captured
from sessions.capture.endpoint.proxy import Proxy
from sessions.capture.endpoint.spool_location import recorder_of

__all__ = ["application", "celery_app"]

PAGES = BodyLimits(most_bytes=4 * 1024 * 1024, pause_seconds=30.0, seconds=120.0)


class Application:
    """Pages and the recording endpoint, each with its own checks."""

    def __init__(self) -> None:
        self._page_server = Pages(settings.LUCID_WEB_PROCESSES)
        pages = self._page_server
        checked = OwnerGate(pages, settings.LUCID_HOME, entry_page) if settings.LUCID_OWNER_CHECK else pages
        self._pages = RequestGuard(checked, is_allowed=_is_here, limits=PAGES, headers=_headers())
        proxy = (
            Proxy(settings.LUCID_CAPTURE_UPSTREAM, recorder_of(settings.LUCID_HOME)) if settings.LUCID_CAPTURE else None
        )
        self._capture = Gate(proxy, _is_here, _capture_secret)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        captured = scope["type"] == "http" and is_captured(scope["path"])
        await (self._capture if captured else self._pages)(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        """Runs from startup to shutdown of the server."""
        while (message := await receive())["type"] == "lifespan.startup":
            await send({"type": "lifespan.startup.complete"})
        await self._page_server.stop()
        await send({"type": f"{message['type']}.complete"})


def _capture_secret(scope: Scope) -> str | None:
    if not settings.LUCID_OWNER_CHECK or is_proved_by_socket(scope):
        return None
    return owner_key(settings.LUCID_HOME).capture_secret


def _is_here(host: str) -> bool:
    # Read anew each time: the server adds the name that it is bound to.
    return validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS)


def _headers() -> list[tuple[bytes, bytes]]:
    """The headers that the middleware adds to pages, for requests that are refused earlier."""
    policy = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
    return [
        (name.lower().encode(), value.encode())
        for name, value in {
            **HEADERS,
            "Content-Security-Policy": "; ".join(f"{name} {' '.join(sources)}" for name, sources in policy.items()),
            "Cross-Origin-Opener-Policy": settings.SECURE_CROSS_ORIGIN_OPENER_POLICY,
            "Referrer-Policy": settings.SECURE_REFERRER_POLICY,
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": settings.X_FRAME_OPTIONS,
        }.items()
    ]


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "inspector.settings")
django.setup(set_prefix=False)
application = Application()
