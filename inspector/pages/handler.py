"""Django in threads of this process. A request is handled in one thread, borrowed from a few that keep their database
connection; left to itself, Django starts a thread, opens the database and changes threads at every middleware."""

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
from inspector.web.heap import Heap

SPARE = 4
"""Threads that are kept when nobody needs them."""


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


class Threads:
    """Makes pages here, each in a thread."""

    def __init__(self) -> None:
        self.handler = OneThread()
        self._idle: list[ThreadPoolExecutor] = []
        self._heap = Heap()
        self._busy = 0

    async def make(self, scope: Scope, body: IO[bytes], receive: Receive, send: Send, made: Callable[[], None]) -> None:
        """`made` is called when the view is done, once: a reader who takes an hour for a download keeps a thread, but
        nobody else from having a turn."""

        async def dated(message: Mapping[str, Any]) -> None:
            # The server leaves it to us, because answers that are handed on have a date of their own.
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
                    made()
                if response.streaming:
                    await self.handler.stream(response, receive, dated)
        finally:
            self._busy -= 1
            self._give_back(thread)
        if not response.streaming:
            await self.handler.send_response(response, dated)

    def _give_back(self, thread: ThreadPoolExecutor) -> None:
        """When the reader went away, the view may still be at work in the thread: it is idle only after that."""
        loop = asyncio.get_running_loop()
        # While others are at work, what they hold would be taken for what is always there.
        last = thread.submit(_nothing if self._busy else self._heap.tidy)
        last.add_done_callback(lambda _: None if loop.is_closed() else loop.call_soon_threadsafe(self._keep, thread))

    def _keep(self, thread: ThreadPoolExecutor) -> None:
        if len(self._idle) < SPARE:
            self._idle.append(thread)
        else:
            thread.submit(connections.close_all)
            thread.shutdown(wait=False)


def _nothing() -> None:
    """Runs when everything before it in the thread has."""
