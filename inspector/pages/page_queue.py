"""A queue of requests: a limited number of pages are made at a time, and further requests wait. More at a time would
not be faster, and each needs memory of its own."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Generic, Protocol, TypeVar

from inspector.web.body import Receive


class PageMaker(Protocol):
    """Something that makes pages: the server or a process."""

    room: int
    """The number of pages that it makes at a time."""


Maker = TypeVar("Maker", bound=PageMaker)


class PageQueue(Generic[Maker]):
    def __init__(self) -> None:
        self._busy: dict[Maker, int] = {}
        self._queue: deque[asyncio.Future[Maker]] = deque()

    @property
    def waiting_count(self) -> int:
        return len(self._queue)

    def busy_count(self, maker: Maker) -> int:
        return self._busy.get(maker, 0)

    def open(self, maker: Maker) -> None:
        self._busy[maker] = 0
        self._assign_turns()

    def close(self, maker: Maker) -> None:
        self._busy.pop(maker, None)

    async def take(self, receive: Receive) -> Maker | None:
        """Waits for a turn, and returns who makes the page; None if the client disconnects while it waits."""
        turn: asyncio.Future[Maker] = asyncio.get_running_loop().create_future()
        self._queue.append(turn)
        self._assign_turns()
        if turn.done():
            return turn.result()
        leaving = asyncio.ensure_future(receive())
        try:
            await asyncio.wait((turn, leaving), return_when=asyncio.FIRST_COMPLETED)
            if turn.done():
                return turn.result()
            self._queue.remove(turn)
            return None
        except asyncio.CancelledError:
            if turn.done():
                self.give_back(turn.result())
            else:
                self._queue.remove(turn)
            raise
        finally:
            leaving.cancel()

    def give_back(self, maker: Maker) -> None:
        if maker in self._busy:
            self._busy[maker] -= 1
            self._assign_turns()

    def _assign_turns(self) -> None:
        """Gives the next requests to whoever makes the fewest pages at the moment."""
        while self._queue:
            free = [maker for maker, busy in self._busy.items() if busy < maker.room]
            if not free:
                return
            maker = min(free, key=self.busy_count)
            self._busy[maker] += 1
            self._queue.popleft().set_result(maker)
