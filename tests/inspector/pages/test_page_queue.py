from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from inspector.pages.page_queue import PageQueue


class Desk:
    def __init__(self, room: int) -> None:
        self.room = room


class Client:
    def __init__(self) -> None:
        self.gone = asyncio.Event()

    async def receive(self) -> Mapping[str, Any]:
        await self.gone.wait()
        return {"type": "http.disconnect"}


def test_whoever_comes_first_is_served_first() -> None:
    async def run() -> None:
        queue: PageQueue[Desk] = PageQueue()
        desk = Desk(1)
        queue.open(desk)
        order: list[int] = []

        async def come(number: int) -> None:
            assert await queue.take(Client().receive) is desk
            order.append(number)
            await asyncio.sleep(0)
            queue.give_back(desk)

        await asyncio.gather(*(come(number) for number in range(20)))
        assert order == list(range(20))
        assert queue.waiting_count == queue.busy_count(desk) == 0

    asyncio.run(run())


def test_the_least_busy_place_is_taken_and_none_beyond_its_room() -> None:
    async def run() -> None:
        queue: PageQueue[Desk] = PageQueue()
        first, second = Desk(2), Desk(2)
        queue.open(first)
        queue.open(second)
        taken = [await queue.take(Client().receive) for _ in range(4)]
        assert taken == [first, second, first, second]
        waiting = asyncio.ensure_future(queue.take(Client().receive))
        await asyncio.sleep(0)
        assert queue.waiting_count == 1
        assert not waiting.done()
        queue.give_back(second)
        assert await waiting is second

    asyncio.run(run())


def test_whoever_leaves_the_line_takes_no_turn() -> None:
    async def run() -> None:
        queue: PageQueue[Desk] = PageQueue()
        desk = Desk(1)
        queue.open(desk)
        await queue.take(Client().receive)
        leaving, cancelled, staying = Client(), Client(), Client()
        gone = asyncio.ensure_future(queue.take(leaving.receive))
        ended = asyncio.ensure_future(queue.take(cancelled.receive))
        stays = asyncio.ensure_future(queue.take(staying.receive))
        await asyncio.sleep(0)
        leaving.gone.set()
        assert await gone is None
        ended.cancel()
        await asyncio.gather(ended, return_exceptions=True)
        queue.give_back(desk)
        assert await stays is desk
        assert queue.busy_count(desk) == 1

    asyncio.run(run())


def test_a_turn_that_comes_with_the_cancellation_is_passed_on() -> None:
    async def run() -> None:
        queue: PageQueue[Desk] = PageQueue()
        desk = Desk(1)
        queue.open(desk)
        await queue.take(Client().receive)
        ended = asyncio.ensure_future(queue.take(Client().receive))
        await asyncio.sleep(0)
        queue.give_back(desk)
        ended.cancel()
        await asyncio.gather(ended, return_exceptions=True)
        assert queue.busy_count(desk) == 0

    asyncio.run(run())


def test_a_place_that_is_closed_gets_nobody_and_one_that_opens_takes_those_who_wait() -> None:
    async def run() -> None:
        queue: PageQueue[Desk] = PageQueue()
        first, second = Desk(1), Desk(1)
        queue.open(first)
        await queue.take(Client().receive)
        waiting = asyncio.ensure_future(queue.take(Client().receive))
        await asyncio.sleep(0)
        queue.close(first)
        queue.give_back(first)
        await asyncio.sleep(0)
        assert not waiting.done()
        queue.open(second)
        assert await waiting is second

    asyncio.run(run())
