"""Pages made by real processes beside this one."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from inspector.pages import pool
from inspector.pages.page_process import PageProcess, ProcessEndedError
from inspector.pages.pool import Pages
from inspector.startup.processes import State, all_states, apply_states
from tests.serving import PATIENCE

CROWD = 40
PAGE = "/docs/"


class Reader:
    """A client and what it is sent."""

    def __init__(self) -> None:
        self.gone = asyncio.Event()
        self.sent: list[Mapping[str, Any]] = []
        self._asked = False

    @property
    def status(self) -> int:
        return int(self.sent[0]["status"])

    @property
    def body(self) -> bytes:
        return b"".join(piece["body"] for piece in self.sent[1:])

    async def receive(self) -> Mapping[str, Any]:
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": b""}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Mapping[str, Any]) -> None:
        self.sent.append(message)


def scope_of(path: str) -> dict[str, Any]:
    headers = [(b"host", b"127.0.0.1")]
    return {
        "type": "http",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": headers,
        "server": ("127.0.0.1", 8765),
    }


async def asked(pages: Pages, path: str) -> Reader:
    reader = Reader()
    await pages(scope_of(path), reader.receive, reader.send)
    return reader


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.02)


async def crowded(pages: Pages) -> list[Reader]:
    """Readers that go on coming until a second process makes pages too."""
    readers: list[Reader] = []

    async def come() -> None:
        while not children():
            readers.append(await asked(pages, PAGE))

    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*(come() for _ in range(CROWD)))
    return readers


def children() -> list[int]:
    """Processes that this one started to make pages."""
    started: list[int] = []
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError):  # a thread that has ended meanwhile
            started += map(int, (task / "children").read_text().split())
    return [pid for pid in started if _makes_pages(pid)]


def _makes_pages(pid: int) -> bool:
    try:
        return b"inspector.pages" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except FileNotFoundError:
        return False  # it has ended meanwhile


def within(pages_needed: Callable[[Pages], Coroutine[None, None, None]], processes: int = 2) -> None:
    async def run() -> None:
        pages = Pages(processes)
        try:
            await pages_needed(pages)
        finally:
            await pages.stop()
        assert children() == []

    asyncio.run(run())


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "WAITED_SECONDS", 0.01)
    monkeypatch.setattr(pool, "FIRST_PAUSE", 0.01)


def test_a_process_helps_while_people_wait_and_ends_when_nobody_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "IDLE_SECONDS", 1.0)

    async def run(pages: Pages) -> None:
        readers = await crowded(pages)
        assert {reader.status for reader in readers} == {200}
        await until(lambda: not children())
        assert (await asked(pages, PAGE)).status == 200

    within(run)


def test_nobody_is_started_for_a_single_reader() -> None:
    async def run(pages: Pages) -> None:
        for _ in range(10):
            assert (await asked(pages, PAGE)).status == 200
        await asyncio.sleep(0.1)
        assert children() == []

    within(run)


def test_with_one_process_the_server_stays_alone() -> None:
    async def run(pages: Pages) -> None:
        readers = await asyncio.gather(*(asked(pages, PAGE) for _ in range(CROWD)))
        await asyncio.sleep(0.1)
        assert {reader.status for reader in readers} == {200}
        assert children() == []

    within(run, processes=1)


def test_a_process_that_dies_is_replaced_and_nobody_is_left_waiting() -> None:
    async def run(pages: Pages) -> None:
        await crowded(pages)
        (first,) = children()
        os.kill(first, signal.SIGKILL)
        readers = await asyncio.gather(*(asked(pages, PAGE) for _ in range(CROWD)))
        assert {reader.status for reader in readers} <= {200, 503}
        await until(lambda: first not in children())
        await crowded(pages)
        assert children() != [first]

    within(run)


def test_whoever_waits_for_a_page_of_a_process_that_dies_is_told() -> None:
    async def run() -> None:
        process = PageProcess()
        await process.start()
        (pid,) = children()
        os.kill(pid, signal.SIGSTOP)
        reader, made = Reader(), asyncio.Event()
        body = await Pages()._local.threads.handler.read_body(reader.receive)
        making = asyncio.ensure_future(process.make(scope_of(PAGE), body, reader.receive, reader.send, made.set))
        await until(lambda: process.is_at_work)
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(ProcessEndedError):
            await asyncio.wait_for(making, PATIENCE)
        assert made.is_set()
        assert reader.sent == []
        await process.stop()

    asyncio.run(run())


def test_a_page_is_the_same_wherever_it_is_made() -> None:
    before = all_states()
    apply_states({"worker": State.DEAD})

    async def run() -> None:
        process, pages = PageProcess(), Pages()
        await process.start()
        try:
            for path in (PAGE, "/settings/", "/static/css/base.css", "/nowhere/"):
                here, there = await asked(pages, path), Reader()
                body = await pages._local.threads.handler.read_body(there.receive)
                await process.make(scope_of(path), body, there.receive, there.send, lambda: None)
                assert there.status == here.status, path
                assert len(there.body) == len(here.body), path
                assert [name for name, _ in there.sent[0]["headers"]] == [name for name, _ in here.sent[0]["headers"]]
        finally:
            await process.stop()

    try:
        asyncio.run(run())
    finally:
        apply_states(before or {"worker": State.ABSENT})
