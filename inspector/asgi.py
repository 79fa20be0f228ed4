"""The ASGI application. A request is handled in one thread, borrowed from a few that keep their database connection;
left to itself, Django starts a thread, opens the database and changes threads at every middleware. What goes through
the recording endpoint is not Django's business at all: it needs neither threads nor the database."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from typing import IO, Any

import django
from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.conf import settings
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.signals import request_started
from django.db import connections
from django.http.request import split_domain_port, validate_host
from django.http.response import HttpResponseBadRequest, HttpResponseBase
from django.urls import set_script_prefix

from inspector.capture.gate import Gate, is_captured
from inspector.capture.here import recorder_of
from inspector.capture.proxy import Proxy

# Views queue tasks, so the application that they are queued in has to exist here.
from inspector.celery import app as celery_app
from inspector.web.heap import Heap

__all__ = ["application", "celery_app"]

IDLE_THREADS = 4

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]


class OneThread(ASGIHandler):
    """The middleware, the view and what follows it, one after the other, in the thread of the request: each change of
    threads costs a tenth of a millisecond. A view may still be async, and may answer with an async stream."""

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        try:
            response = await sync_to_async(self._respond)(scope, body)
            if response.streaming:
                await self._stream(response, receive, send)
            else:
                await self.send_response(response, send)
        finally:
            body.close()

    def _respond(self, scope: Scope, body: IO[bytes]) -> HttpResponseBase:
        set_script_prefix(get_script_prefix(scope))
        request_started.send(sender=type(self), scope=scope)
        request, refusal = self.create_request(scope, body)
        response: HttpResponseBase = self.get_response(request) if request else refusal or HttpResponseBadRequest()
        # Tells the response whom to notify when it is closed.
        response._handler_class = type(self)  # type: ignore[attr-defined]
        if not response.streaming:
            response.close()  # its bytes are all there
        return response

    async def _stream(self, response: HttpResponseBase, receive: Receive, send: Send) -> None:
        """Until its end, or until the reader has gone."""
        sending = asyncio.ensure_future(self.send_response(response, send))
        leaving = asyncio.ensure_future(receive())
        try:
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
        finally:
            for task in (sending, leaving):
                task.cancel()
            await asyncio.gather(sending, leaving, return_exceptions=True)
            await sync_to_async(response.close)()


class Application:
    """One thread per request under way; a few are kept for the next ones."""

    def __init__(self) -> None:
        self._handler = OneThread()
        self._capture = _gate()
        self._idle: list[ThreadPoolExecutor] = []
        self._heap = Heap()
        self._busy = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and is_captured(scope["path"]):
            await self._capture(scope, receive, send)
            return

        async def dated(message: Mapping[str, Any]) -> None:
            # The server leaves it to us, because answers that are handed on have a date of their own.
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], (b"date", formatdate(usegmt=True).encode())]}
            await send(message)

        thread = self._idle.pop() if self._idle else ThreadPoolExecutor(1, thread_name_prefix="request")
        self._busy += 1
        try:
            async with ThreadSensitiveContext(executor=thread):
                await self._handler.handle(scope, receive, dated)
        finally:
            self._busy -= 1
            self._give_back(thread)

    def _give_back(self, thread: ThreadPoolExecutor) -> None:
        """When the reader went away, the view may still be at work in the thread: it is idle only after that."""
        loop = asyncio.get_running_loop()
        # While others are at work, what they hold would be taken for what is always there.
        last = thread.submit(_nothing if self._busy else self._heap.tidy)
        last.add_done_callback(lambda _: loop.call_soon_threadsafe(self._keep, thread))

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
