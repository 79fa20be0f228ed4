"""Brings an asynchronous stream into the calling thread, which can leave it at any moment.

A blocking read cannot be interrupted, a task can be cancelled. So the loop runs in its own thread, and the caller, with
its listeners and its database, never runs inside it.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Generic, TypeVar

from inspector.agents.cancel import TICK, CancelToken
from inspector.agents.errors import TimedOutError

T = TypeVar("T")
_GRACE = 0.5


class _End:
    pass


class Pump(Generic[T]):
    def __init__(self, source: Callable[[], AsyncIterator[T]]) -> None:
        self._source = source
        self._items: queue.SimpleQueue[T | BaseException | _End] = queue.SimpleQueue()
        self._started = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None

    def items(self, cancel: CancelToken, seconds: float) -> Iterator[T]:
        """The items of the source. Raises what the source raises, and if it is cancelled or takes too long."""
        deadline = time.monotonic() + seconds
        thread = threading.Thread(target=self._run, name="model-stream", daemon=True)
        thread.start()
        try:
            while True:
                cancel.check()
                if time.monotonic() > deadline:
                    sentence = f"The model did not finish its answer within {seconds:,.0f} seconds."
                    raise TimedOutError(sentence, retryable=False)
                try:
                    item = self._items.get(timeout=TICK)
                except queue.Empty:
                    continue
                if isinstance(item, _End):
                    return
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            self._stop()
            thread.join(_GRACE)

    def _run(self) -> None:
        try:
            asyncio.run(self._forward())
        except asyncio.CancelledError:
            self._items.put(_End())
        except BaseException as error:
            self._items.put(error)
        else:
            self._items.put(_End())
        finally:
            self._started.set()

    async def _forward(self) -> None:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        self._started.set()
        async for item in self._source():
            self._items.put(item)

    def _stop(self) -> None:
        self._started.wait(_GRACE)
        if self._loop is not None and self._task is not None:
            try:
                self._loop.call_soon_threadsafe(self._task.cancel)
            except RuntimeError:  # the loop has ended by itself
                return
