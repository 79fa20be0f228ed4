"""The server's side of a process that makes pages."""

from __future__ import annotations

import asyncio
import itertools
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import IO

from inspector.pages.server_state import read_server_state, read_start_options
from inspector.pages.wire import Message, pack_scope, read_message, write_message
from inspector.structured import get_logger
from inspector.web.body import Receive, Scope, Send

START_SECONDS = 60.0
STOP_SECONDS = 2.0
PAGES_AT_ONCE = 2
"""Pages that one process makes at a time. They share an interpreter, but one may wait for the database."""

log = get_logger(__name__)


class ProcessEndedError(Exception):
    """The process ended before it had made the page."""


class AnswerBrokenError(Exception):
    """The answer failed in the middle."""


class PageProcess:
    room = PAGES_AT_ONCE

    def __init__(self) -> None:
        self._pending: dict[int, asyncio.Queue[Message]] = {}
        self._numbers = itertools.count(1)
        self.ended = asyncio.Event()
        self.used = time.monotonic()

    async def start(self) -> None:
        """Raises OSError or ProcessEndedError."""
        ours, theirs = socket.socketpair()
        with theirs:
            self._reader, self._writer = await asyncio.open_connection(sock=ours)
            try:
                # A session of its own keeps Ctrl-C at the terminal away from it. -P keeps packages of the current
                # directory away from ours.
                self._process = await asyncio.create_subprocess_exec(
                    sys.executable, "-P", "-m", "inspector.pages", stdin=theirs.fileno(), start_new_session=True
                )
            except OSError:
                self._writer.close()
                raise
        try:
            await self._greet()
        except BaseException:
            await self.stop()
            raise
        self._listening = asyncio.create_task(self._listen())
        log.info("page_process_started", pid=self._process.pid)

    async def _greet(self) -> None:
        write_message(self._writer, read_start_options())
        try:
            async with asyncio.timeout(START_SECONDS):
                ready = await read_message(self._reader)
        except TimeoutError:
            ready = None
        if ready is None:
            raise ProcessEndedError("it did not start")

    @property
    def is_at_work(self) -> bool:
        return bool(self._pending)

    async def make(
        self, scope: Scope, body: IO[bytes], receive: Receive, send: Send, on_made: Callable[[], None]
    ) -> None:
        """Does what the threads of the server do. Raises ProcessEndedError, but only before anything was sent."""
        number, answers = next(self._numbers), asyncio.Queue[Message]()
        self._pending[number] = answers
        try:
            try:
                if self.ended.is_set():
                    raise ProcessEndedError
                body.seek(0)
                message = {"ask": number, "scope": pack_scope(scope), "body": body.read(), "knows": read_server_state()}
                self._write_message(message)
                first = await answers.get()
            finally:
                on_made()
            if "answer" not in first:
                raise ProcessEndedError
            headers = [(name, value) for name, value in first["headers"]]
            await send({"type": "http.response.start", "status": first["status"], "headers": headers})
            await self._forward(number, first, answers, receive, send)
        finally:
            del self._pending[number]
            self.used = time.monotonic()

    async def _forward(
        self, number: int, piece: Message, answers: asyncio.Queue[Message], receive: Receive, send: Send
    ) -> None:
        await send({"type": "http.response.body", "body": piece["body"], "more_body": piece["more"]})
        if not piece["more"]:
            return
        leaving = asyncio.ensure_future(receive())
        try:
            while piece["more"]:
                self._write_message({"more": number})
                coming = asyncio.ensure_future(answers.get())
                await asyncio.wait((coming, leaving), return_when=asyncio.FIRST_COMPLETED)
                if not coming.done():
                    coming.cancel()
                    self._write_message({"left": number})
                    return
                piece = coming.result()
                if "answer" not in piece:
                    # Without an end the server closes the connection, so nobody takes a part for the whole.
                    raise AnswerBrokenError
                await send({"type": "http.response.body", "body": piece["body"], "more_body": piece["more"]})
        except BaseException:
            self._write_message({"left": number})
            raise
        finally:
            leaving.cancel()

    def _write_message(self, message: Message) -> None:
        """Does nothing if the process has ended: those who wait for it learn that from `ended`."""
        if not self.ended.is_set() and not self._writer.is_closing():
            with suppress(OSError, RuntimeError):  # uvloop's word for a closed transport
                write_message(self._writer, message)

    async def stop(self) -> None:
        """It ends when its socket closes; if it does not, it is killed."""
        self.ended.set()
        self._writer.close()
        try:
            await asyncio.wait_for(self._process.wait(), STOP_SECONDS)
        except TimeoutError:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()

    async def _listen(self) -> None:
        try:
            while (message := await read_message(self._reader)) is not None:
                number = message.get("answer", message.get("broken"))
                if number in self._pending:
                    self._pending[number].put_nowait(message)
        finally:
            self.ended.set()
            for answers in self._pending.values():
                answers.put_nowait({})
