"""Whose turn it is: so many pages are made at a time, and whoever comes then waits in line. More at a time would not be
served sooner, and each holds memory of its own."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Generic, Protocol, TypeVar

from inspector.web.body import Receive


class Place(Protocol):
    """Where pages are made."""

    room: int
    """Pages that are made there at a time."""


P = TypeVar("P", bound=Place)


class Turns(Generic[P]):
    def __init__(self) -> None:
        self._busy: dict[P, int] = {}
        self._line: deque[asyncio.Future[P]] = deque()

    @property
    def waiting(self) -> int:
        return len(self._line)

    def busy(self, place: P) -> int:
        return self._busy.get(place, 0)

    def open(self, place: P) -> None:
        self._busy[place] = 0
        self._call()

    def close(self, place: P) -> None:
        self._busy.pop(place, None)

    async def take(self, receive: Receive) -> P | None:
        """The place whose turn it is to make a page. While others have theirs, the client may lose its patience; then
        there is none."""
        turn: asyncio.Future[P] = asyncio.get_running_loop().create_future()
        self._line.append(turn)
        self._call()
        if turn.done():
            return turn.result()
        leaving = asyncio.ensure_future(receive())
        try:
            await asyncio.wait((turn, leaving), return_when=asyncio.FIRST_COMPLETED)
            if turn.done():
                return turn.result()
            self._line.remove(turn)
            return None
        except asyncio.CancelledError:
            if turn.done():
                self.give_back(turn.result())
            else:
                self._line.remove(turn)
            raise
        finally:
            leaving.cancel()

    def give_back(self, place: P) -> None:
        if place in self._busy:
            self._busy[place] -= 1
            self._call()

    def _call(self) -> None:
        """The next in line, to where the fewest pages are being made."""
        while self._line:
            free = [place for place, busy in self._busy.items() if busy < place.room]
            if not free:
                return
            place = min(free, key=self.busy)
            self._busy[place] += 1
            self._line.popleft().set_result(place)
