"""The ASGI application. A request is handled in one thread, borrowed from a few that keep their database connection;
left to itself, Django starts a thread, opens the database and changes threads at every middleware. What goes through
the recording endpoint is not Django's business at all: it needs neither threads nor the database."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from typing import Any

import django
from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler
from django.db import connections
from django.http import HttpRequest
from django.http.request import split_domain_port, validate_host
from django.http.response import HttpResponseBase

from inspector.capture.gate import Gate, is_captured
from inspector.capture.here import recorder_of
from inspector.capture.proxy import Proxy

# Views queue tasks, so the application that they are queued in has to exist here.
from inspector.celery import app as celery_app

__all__ = ["application", "celery_app"]

IDLE_THREADS = 4


class OneThread(ASGIHandler):
    """The middleware and the view, one after the other, in the thread of the request. A view may still be async, and
    may answer with an async stream."""

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def run_get_response(self, request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase = await sync_to_async(self.get_response)(request)
        # Tells the response whom to notify when it is closed.
        response._handler_class = type(self)  # type: ignore[attr-defined]
        return response


class Application:
    """One thread per request under way; a few are kept for the next ones."""

    def __init__(self) -> None:
        self._handler = OneThread()
        self._capture = _gate()
        self._idle: list[ThreadPoolExecutor] = []

    async def __call__(
        self,
        scope: dict[str, Any],
        receive: Callable[[], Awaitable[Mapping[str, Any]]],
        send: Callable[[Mapping[str, Any]], Awaitable[None]],
    ) -> None:
        if scope["type"] == "http" and is_captured(scope["path"]):
            await self._capture(scope, receive, send)
            return

        async def dated(message: Mapping[str, Any]) -> None:
            # The server leaves it to us, because answers that are handed on have a date of their own.
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], (b"date", formatdate(usegmt=True).encode())]}
            await send(message)

        thread = self._idle.pop() if self._idle else ThreadPoolExecutor(1, thread_name_prefix="request")
        try:
            async with ThreadSensitiveContext(executor=thread):
                await self._handler(scope, receive, dated)
        finally:
            self._give_back(thread)

    def _give_back(self, thread: ThreadPoolExecutor) -> None:
        """When the reader went away, the view may still be at work in the thread: it is idle only after that."""
        loop = asyncio.get_running_loop()
        thread.submit(_nothing).add_done_callback(lambda _: loop.call_soon_threadsafe(self._keep, thread))

    def _keep(self, thread: ThreadPoolExecutor) -> None:
        if len(self._idle) < IDLE_THREADS:
            self._idle.append(thread)
        else:
            thread.submit(connections.close_all)
            thread.shutdown(wait=False)


def _nothing() -> None:
    """Runs when everything before it in the thread has."""


def _gate() -> Gate:
    proxy = Proxy(settings.LUCID_CAPTURE_UPSTREAM, recorder_of(settings.LUCID_HOME)) if settings.LUCID_CAPTURE else None
    # The list is looked at each time: the server adds the name that it is bound to.
    return Gate(proxy, lambda host: validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS))


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "inspector.settings")
django.setup(set_prefix=False)
application = Application()
