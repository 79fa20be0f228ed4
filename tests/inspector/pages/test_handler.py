from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Any

import pytest

from inspector.pages import handler
from inspector.pages.handler import PageThreads
from inspector.web.heap import GROWTH, resident

SCOPE = {
    "type": "http",
    "method": "GET",
    "path": "/static/css/base.css",
    "raw_path": b"/static/css/base.css",
    "query_string": b"",
    "headers": [(b"host", b"127.0.0.1")],
    "http_version": "1.1",
    "scheme": "http",
    "root_path": "",
    "server": ("127.0.0.1", 80),
    "client": ("127.0.0.1", 1),
}


@pytest.fixture
def no_collection() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()
    gc.unfreeze()


@pytest.mark.usefixtures("no_collection")
def test_a_server_that_nobody_asks_gives_memory_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handler, "QUIET_SECONDS", 3.0)
    before, held, after = asyncio.run(_ask_and_wait())
    assert held > before + GROWTH / 4
    assert after < before + GROWTH / 4, f"{before:,} bytes before, {held:,} with the ring, {after:,} at last"


async def _ask_and_wait() -> tuple[int, int, int]:
    sent: list[Mapping[str, Any]] = []

    async def receive() -> Mapping[str, Any]:
        return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]

    async def send(message: Mapping[str, Any]) -> None:
        sent.append(message)

    threads = PageThreads()
    await threads.make(SCOPE, BytesIO(), receive, send, lambda: None)
    assert sent[0]["type"] == "http.response.start"
    # What the thread tidies after the request would otherwise count the ring as in use.
    while not threads._idle:
        await asyncio.sleep(0.01)
    before = resident()
    # More than the C library takes from what it kept of freed memory.
    ring: list[object] = [bytearray(b"x") * (2 * GROWTH)]
    ring.append(ring)
    del ring
    held = after = resident()
    async with asyncio.timeout(60):
        while after >= before + GROWTH / 4:
            await asyncio.sleep(0.05)
            after = resident()
    return before, held, after
