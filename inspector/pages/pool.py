"""Makes pages in the server itself, and while requests wait for their turn, also in processes beside it. These are only
started when they are needed, and their memory is free again when they end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import IO

from django.core.exceptions import RequestAborted

from inspector.pages.handler import PageThreads
from inspector.pages.page_process import PageProcess, ProcessEndedError
from inspector.pages.page_queue import PageQueue
from inspector.structured import get_logger
from inspector.web.body import Receive, Scope, Send

PAGES_ALONE = 4
"""Pages that the server makes at a time without helping processes. They share one interpreter, so more would not be
faster."""
PAGES_WITH_HELP = 2
WAITED_SECONDS = 0.5
"""Requests wait this long before a process is started: a page and its parts come together and are soon made."""
IDLE_SECONDS = 30.0
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0
"""The pause after a process died before the next is started; it doubles each time."""
SETTLED_SECONDS = 60.0
SENTENCE = b"The process that made this page ended before it was done. Try again.\n"

log = get_logger(__name__)


class LocalMaker:
    """Makes pages in the server itself."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.threads = PageThreads()

    async def make(
        self, scope: Scope, body: IO[bytes], receive: Receive, send: Send, on_made: Callable[[], None]
    ) -> None:
        await self.threads.make(scope, body, receive, send, on_made)


class Pages:
    """An ASGI application."""

    def __init__(self, processes: int = 1) -> None:
        """`processes`: the most that make pages at a time, the server included."""
        self._most = processes - 1
        self._local = LocalMaker(PAGES_WITH_HELP if self._most else PAGES_ALONE)
        self._processes: dict[PageProcess, asyncio.Task[None]] = {}
        self._queue: PageQueue[LocalMaker | PageProcess] = PageQueue()
        self._queue.open(self._local)
        self._growing: asyncio.Task[None] | None = None
        self._pause = FIRST_PAUSE
        self._may_start = 0.0
        self._stopped = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await self._local.threads.handler.read_body(receive)
        except RequestAborted:
            return
        try:
            self._grow_if_needed()
            maker = await self._queue.take(receive)
            if maker is None:
                return
            try:
                await maker.make(scope, body, receive, send, on_made=lambda: self._queue.give_back(maker))
            except ProcessEndedError:
                await _answer_unavailable(send)
        finally:
            body.close()

    async def stop(self) -> None:
        self._stopped = True
        if self._growing is not None:
            self._growing.cancel()
            await asyncio.gather(self._growing, return_exceptions=True)
        watching = list(self._processes.values())
        await asyncio.gather(*(process.stop() for process in self._processes))
        await asyncio.gather(*watching, return_exceptions=True)

    def _grow_if_needed(self) -> None:
        if self._growing is None and len(self._processes) < self._most and not self._stopped:
            self._growing = asyncio.create_task(self._grow())

    async def _grow(self) -> None:
        """Starts processes while requests wait; the next request that has to wait calls this again."""
        try:
            await asyncio.sleep(WAITED_SECONDS)
            while (
                self._queue.waiting_count and len(self._processes) < self._most and time.monotonic() >= self._may_start
            ):
                await self._start()
        finally:
            self._growing = None

    async def _start(self) -> None:
        process = PageProcess()
        try:
            await process.start()
        except (OSError, ProcessEndedError) as error:
            log.warning("page_process_failed", error=str(error))
            self._wait_longer()
            return
        self._processes[process] = asyncio.create_task(self._watch(process))
        self._queue.open(process)

    async def _watch(self, process: PageProcess) -> None:
        """Watches a process until it dies, or until it was idle for a while and is stopped."""
        began = time.monotonic()
        while process.is_at_work or time.monotonic() - process.used < IDLE_SECONDS:
            with suppress(TimeoutError):
                await asyncio.wait_for(process.ended.wait(), IDLE_SECONDS / 10)
            if process.ended.is_set():
                break
        died = process.ended.is_set() and not self._stopped
        self._queue.close(process)
        del self._processes[process]
        await process.stop()
        if died:
            log.warning("page_process_died", after=round(time.monotonic() - began, 1))
            self._pause = FIRST_PAUSE if time.monotonic() - began > SETTLED_SECONDS else self._pause
            self._wait_longer()

    def _wait_longer(self) -> None:
        self._may_start = time.monotonic() + self._pause
        self._pause = min(2 * self._pause, LONGEST_PAUSE)


async def _answer_unavailable(send: Send) -> None:
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(SENTENCE)).encode()),
        (b"cache-control", b"no-store"),
        (b"retry-after", b"1"),
    ]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": SENTENCE})
