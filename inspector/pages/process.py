"""A process that makes pages for the server. It has no address: its standard input is a socket to the server, and it
ends when that closes, whatever became of the server."""

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
from inspector.pages.handler import Threads
from inspector.pages.known import known_set, start_known_set
from inspector.pages.wire import (
    Message,
    read,
    scope_unpacked,
    write,
)
from inspector.startup.connecting import for_pages
from inspector.startup.loop import new_event_loop

__all__ = ["celery_app", "main"]

COLLECTED_AFTER = 50_000
"""Objects, as in the server: nearly all of a page goes without being looked for."""

logger = logging.getLogger(__name__)


class Asked:
    """A request under way."""

    def __init__(self, number: int, writer: asyncio.StreamWriter) -> None:
        self.gone = asyncio.Event()
        self.wanted = asyncio.Event()
        """The server has handed on the last piece, and takes another."""
        self._number = number
        self._writer = writer
        self._start: Message = {}

    async def receive(self) -> Mapping[str, Any]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Mapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = [list(header) for header in message["headers"]]
            self._start = {"status": message["status"], "headers": headers}
            return
        if not self._start:
            await self.wanted.wait()
            self.wanted.clear()
        more = message.get("more_body", False)
        write(self._writer, {"answer": self._number, "body": message.get("body", b""), "more": more, **self._start})
        self._start = {}
        await self._writer.drain()


class PageServer:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._threads = Threads()
        self._asked: dict[int, Asked] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self) -> None:
        while (message := await read(self._reader)) is not None:
            if "ask" in message:
                task = asyncio.create_task(self._answer(message))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            elif "left" in message:
                self._tell(message["left"], lambda asked: asked.gone)
            else:
                self._tell(message["more"], lambda asked: asked.wanted)

    def _tell(self, number: int, event: Callable[[Asked], asyncio.Event]) -> None:
        if number in self._asked:
            event(self._asked[number]).set()

    async def _answer(self, message: Message) -> None:
        number: int = message["ask"]
        asked = self._asked[number] = Asked(number, self._writer)
        known_set(message["knows"])
        try:
            scope, body = scope_unpacked(message["scope"]), BytesIO(message["body"])
            await self._threads.make(scope, body, asked.receive, asked.send, lambda: None)
        except ConnectionError:
            return  # the server has gone, and we follow
        except Exception:
            logger.exception("page_broken")
            write(self._writer, {"broken": number})
        finally:
            del self._asked[number]


async def _serve() -> None:
    reader, writer = await asyncio.open_connection(sock=socket.socket(fileno=os.dup(0)))
    start = await read(reader)
    if start is None:
        return
    start_known_set(start)
    assert get_resolver().url_patterns  # all views are loaded before somebody waits for them
    server = PageServer(reader, writer)
    write(writer, {"ready": os.getpid()})
    await server.serve()


def main() -> None:
    gc.set_threshold(COLLECTED_AFTER)
    for_pages(connections.settings["default"])
    show_on_console(settings.LUCID_LOG_LEVEL)
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(_serve())
    # Without waiting for threads, as the server does not either.
    logging.shutdown()
    sys.stderr.flush()
    os._exit(0)
