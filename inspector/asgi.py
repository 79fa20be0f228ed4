"""The ASGI application. A request is handled in one thread, borrowed from a few that keep their database connection;
left to itself, Django starts a thread, opens the database and changes threads at every middleware. Who comes when all
of them are at work waits for a turn: more at a time would not be served sooner, and each holds memory of its own. What
goes through the recording endpoint is not Django's business at all: it needs neither threads nor the database."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
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
from inspector.middleware import HEADERS
from inspector.owner.gate import OwnerGate, proved_by_socket
from inspector.owner.key import owner_key
from inspector.owner.page import entry_page
from inspector.web.body import Limits, Receive, Scope, Send
from inspector.web.door import Door
from inspector.web.heap import Heap

__all__ = ["application", "celery_app"]

THREADS = 4
"""Pages that are made at a time. They share one interpreter, so that more would only wait inside instead of outside."""
PAGES = Limits(most=4 * 1024 * 1024, pause=30.0, seconds=120.0)


class OneThread(ASGIHandler):
    """The middleware, the view and what follows it, one after the other, in the thread of the request: each change of
    threads costs a tenth of a millisecond. A view may still be async, and may answer with an async stream."""

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    def respond(self, scope: Scope, body: IO[bytes]) -> HttpResponseBase:
        set_script_prefix(get_script_prefix(scope))
        request_started.send(sender=type(self), scope=scope)
        request, refusal = self.create_request(scope, body)
        response: HttpResponseBase = self.get_response(request) if request else refusal or HttpResponseBadRequest()
        # Tells the response whom to notify when it is closed.
        response._handler_class = type(self)  # type: ignore[attr-defined]
        if not response.streaming:
            response.close()  # its bytes are all there
        return response

    async def stream(self, response: HttpResponseBase, receive: Receive, send: Send) -> None:
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


class Pages:
    """Django's part, with a few threads that are kept."""

    def __init__(self) -> None:
        self._handler = OneThread()
        self._turns = asyncio.Semaphore(THREADS)
        self._idle: list[ThreadPoolExecutor] = []
        self._heap = Heap()
        self._busy = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def dated(message: Mapping[str, Any]) -> None:
            # The server leaves it to us, because answers that are handed on have a date of their own.
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], (b"date", formatdate(usegmt=True).encode())]}
            await send(message)

        try:
            body = await self._handler.read_body(receive)
        except RequestAborted:
            return
        try:
            if await self._turn(receive):
                await self._handle(scope, body, receive, dated)
        finally:
            body.close()

    async def _turn(self, receive: Receive) -> bool:
        """Whether it is our turn. While others have theirs, the client may lose its patience; then it is nobody's."""
        if not self._turns.locked():
            return await self._turns.acquire()
        waiting = asyncio.ensure_future(self._turns.acquire())
        leaving = asyncio.ensure_future(receive())
        try:
            await asyncio.wait((waiting, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
            if not waiting.done():
                waiting.cancel()
        return waiting.done() and not waiting.cancelled()

    async def _handle(self, scope: Scope, body: IO[bytes], receive: Receive, send: Send) -> None:
        thread = self._idle.pop() if self._idle else ThreadPoolExecutor(1, thread_name_prefix="request")
        self._busy += 1
        try:
            async with ThreadSensitiveContext(executor=thread):
                try:
                    response = await sync_to_async(self._handler.respond)(scope, body)
                finally:
                    # A reader who takes an hour for a download keeps its thread, but nobody else from having a turn.
                    self._turns.release()
                if response.streaming:
                    await self._handler.stream(response, receive, send)
        finally:
            self._busy -= 1
            self._give_back(thread)
        if not response.streaming:
            await self._handler.send_response(response, send)

    def _give_back(self, thread: ThreadPoolExecutor) -> None:
        """When the reader went away, the view may still be at work in the thread: it is idle only after that."""
        loop = asyncio.get_running_loop()
        # While others are at work, what they hold would be taken for what is always there.
        last = thread.submit(_nothing if self._busy else self._heap.tidy)
        last.add_done_callback(lambda _: None if loop.is_closed() else loop.call_soon_threadsafe(self._keep, thread))

    def _keep(self, thread: ThreadPoolExecutor) -> None:
        if len(self._idle) < THREADS:
            self._idle.append(thread)
        else:
            thread.submit(connections.close_all)
            thread.shutdown(wait=False)


class Application:
    """Pages and the recording endpoint, each behind its door."""

    def __init__(self) -> None:
        pages = Pages()
        checked = OwnerGate(pages, settings.LUCID_HOME, entry_page) if settings.LUCID_OWNER_CHECK else pages
        self._pages = Door(checked, is_allowed=_is_here, limits=PAGES, headers=_headers())
        proxy = (
            Proxy(settings.LUCID_CAPTURE_UPSTREAM, recorder_of(settings.LUCID_HOME)) if settings.LUCID_CAPTURE else None
        )
        self._capture = Gate(proxy, _is_here, _capture_secret)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        captured = scope["type"] == "http" and is_captured(scope["path"])
        await (self._capture if captured else self._pages)(scope, receive, send)


def _nothing() -> None:
    """Runs when everything before it in the thread has."""


def _capture_secret(scope: Scope) -> str | None:
    if not settings.LUCID_OWNER_CHECK or proved_by_socket(scope):
        return None
    return owner_key(settings.LUCID_HOME).capture_secret


def _is_here(host: str) -> bool:
    # The list is looked at each time: the server adds the name that it is bound to.
    return validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS)


def _headers() -> list[tuple[bytes, bytes]]:
    """What the middleware gives to pages, for those who do not get as far."""
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
