"""A process that makes pages for the server. It has no address: its standard input is a socket to the server, and it
ends when that closes."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import socket
import sys
from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any

from django.conf import settings
from django.db import connections
from django.urls import get_resolver

# Views queue tasks, so the application that they are queued in has to exist here.
from inspector.celery import app as celery_app
from inspector.logs import show_on_console
from inspector.pages.handler import PageThreads
from inspector.pages.server_state import apply_server_state, apply_start_options
from inspector.pages.wire import Message, read_message, unpack_scope, write_message
from inspector.startup.connection_options import for_pages
from inspector.startup.loop import new_event_loop

__all__ = ["celery_app", "main"]

COLLECTED_AFTER = 50_000
"""Objects, as in the server: nearly everything that a page uses is freed without a collection."""

logger = logging.getLogger(__name__)


class PendingRequest:
    """A request that is being answered."""

    def __init__(self, number: int, writer: asyncio.StreamWriter) -> None:
        self.disconnected = asyncio.Event()
        self.next_wanted = asyncio.Event()
        """The server has forwarded the last piece and wants the next."""
        self._number = number
        self._writer = writer
        self._start: Message = {}

    async def receive(self) -> Mapping[str, Any]:
        await self.disconnected.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Mapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = [list(header) for header in message["headers"]]
            self._start = {"status": message["status"], "headers": headers}
            return
        if not self._start:
            await self.next_wanted.wait()
            self.next_wanted.clear()
        more = message.get("more_body", False)
        write_message(
            self._writer, {"answer": self._number, "body": message.get("body", b""), "more": more, **self._start}
        )
        self._start = {}
        await self._writer.drain()


class PageServer:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._threads = PageThreads()
        self._pending: dict[int, PendingRequest] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self) -> None:
        while (message := await read_message(self._reader)) is not None:
            if "ask" in message:
                task = asyncio.create_task(self._answer(message))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            elif "left" in message:
                self._set_event(message["left"], lambda request: request.disconnected)
            else:
                self._set_event(message["more"], lambda request: request.next_wanted)

    def _set_event(self, number: int, event: Callable[[PendingRequest], asyncio.Event]) -> None:
        if number in self._pending:
            event(self._pending[number]).set()

    async def _answer(self, message: Message) -> None:
        number: int = message["ask"]
        request = self._pending[number] = PendingRequest(number, self._writer)
        apply_server_state(message["knows"])
        try:
            scope, body = unpack_scope(message["scope"]), BytesIO(message["body"])
            await self._threads.make(scope, body, request.receive, request.send, lambda: None)
        except ConnectionError:
            return  # the server has ended, and so will this process
        except Exception:
            logger.exception("page_broken")
            write_message(self._writer, {"broken": number})
        finally:
            del self._pending[number]


async def _serve() -> None:
    reader, writer = await asyncio.open_connection(sock=socket.socket(fileno=os.dup(0)))
    start = await read_message(reader)
    if start is None:
        return
    apply_start_options(start)
    assert get_resolver().url_patterns  # loads all views before a request waits for them
    server = PageServer(reader, writer)
    write_message(writer, {"ready": os.getpid()})
    await server.serve()


def main() -> None:
    gc.set_threshold(COLLECTED_AFTER)
    for_pages(connections.settings["default"])
    show_on_console(settings.LUCID_LOG_LEVEL)
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(_serve())
    # Does not wait for threads; nor does the server.
    logging.shutdown()
    sys.stderr.flush()
    os._exit(0)
