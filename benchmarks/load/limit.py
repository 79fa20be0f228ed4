"""What the machine can do at best: the same clients, and a page that costs nothing."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from benchmarks.load.clients import Answers, ask_all
from benchmarks.ours.home import ROOT, SilentServerError

START_SECONDS = 30.0
Send = Callable[[Mapping[str, Any]], Awaitable[None]]


async def limit_measure(*, clients: int, seconds: float, size: int) -> Answers:
    """`size`: of the page, in bytes."""
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
        port = listener.getsockname()[1]
        command = [sys.executable, "-m", "benchmarks.load.limit", str(listener.fileno()), str(size)]
        process = subprocess.Popen(command, cwd=ROOT, pass_fds=[listener.fileno()], stdin=subprocess.DEVNULL)
        try:
            await _wait(port)
            return await ask_all(port, ["/"], clients=clients, seconds=seconds)
        finally:
            process.terminate()
            process.wait(START_SECONDS)


async def _wait(port: int) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        if (await ask_all(port, ["/"], clients=1, seconds=0.2)).taken:
            return
    raise SilentServerError("the page that costs nothing did not answer")


class Plain:
    def __init__(self, size: int) -> None:
        self._body = b"x" * size
        self._headers = [(b"content-type", b"text/plain"), (b"content-length", str(size).encode())]

    async def __call__(self, scope: object, receive: object, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self._headers})
        await send({"type": "http.response.body", "body": self._body})


def main(descriptor: int, size: int) -> None:
    import uvicorn

    config = uvicorn.Config(Plain(size), lifespan="off", access_log=False, log_level="warning", interface="asgi3")
    asyncio.run(uvicorn.Server(config).serve([socket.socket(fileno=descriptor)]))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
