"""Runs Django in threads of this process. Each request has one thread, from a few that keep their database connection.
By default Django would start a thread, open the database and change threads at every middleware."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from typing import IO, Any

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.signals import request_started
from django.db import connections
from django.http.response import HttpResponseBadRequest, HttpResponseBase
from django.urls import set_script_prefix

from inspector.web.body import Receive, Scope, Send
from inspector.web.heap import QUIET_GROWTH, Heap

SPARE_THREADS = 4
"""Idle threads that are kept."""
QUIET_SECONDS = 10.0
"""After a request without another one; then memory goes back to the system."""


class ThreadHandler(ASGIHandler):
    """Runs the middleware and the view in the thread of the request: each change of threads costs a tenth of a
    millisecond. A view may still be async, and may answer with an async stream."""

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
        """Sends the response until its end, or until the client disconnects."""
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


class PageThreads:
    """Makes pages in this process, each in a thread."""

    def __init__(self) -> None:
        self.handler = ThreadHandler()
        self._idle: list[ThreadPoolExecutor] = []
        self._heap = Heap()
        self._busy = 0
        self._quiet: asyncio.TimerHandle | None = None

    async def make(
        self, scope: Scope, body: IO[bytes], receive: Receive, send: Send, on_made: Callable[[], None]
    ) -> None:
        """`on_made` is called once, when the view is done: a slow download keeps its thread, but not its turn."""

        async def send_dated(message: Mapping[str, Any]) -> None:
            # The server leaves the date to us, because forwarded answers have their own.
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], (b"date", formatdate(usegmt=True).encode())]}
            await send(message)

        thread = self._idle.pop() if self._idle else ThreadPoolExecutor(1, thread_name_prefix="request")
        self._busy += 1
        try:
            async with ThreadSensitiveContext(executor=thread):
                try:
                    response = await sync_to_async(self.handler.respond)(scope, body)
                finally:
                    on_made()
                if response.streaming:
                    await self.handler.stream(response, receive, send_dated)
        finally:
            self._busy -= 1
            self._give_back(thread)
        if not response.streaming:
            await self.handler.send_response(response, send_dated)

    def _give_back(self, thread: ThreadPoolExecutor) -> None:
        """If the client disconnected, the view may still be running in the thread, which is idle only after that."""
        loop = asyncio.get_running_loop()
        # While others are running, their memory would count as the process's permanent size.
        last = thread.submit(_do_nothing if self._busy else self._heap.tidy)
        if self._quiet is not None:
            self._quiet.cancel()
        self._quiet = loop.call_later(QUIET_SECONDS, self._tidy)
        last.add_done_callback(lambda _: None if loop.is_closed() else loop.call_soon_threadsafe(self._keep, thread))

    def _keep(self, thread: ThreadPoolExecutor) -> None:
        if len(self._idle) < SPARE_THREADS:
            self._idle.append(thread)
        else:
            thread.submit(connections.close_all)
            thread.shutdown(wait=False)

    def _tidy(self) -> None:
        if self._busy == 0 and self._idle:
            self._idle[-1].submit(self._heap.tidy, QUIET_GROWTH)


def _do_nothing() -> None:
    """Runs when everything before it in the thread has."""
