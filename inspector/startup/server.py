"""The foreground process of `serve`: the web server in it, the helpers around it, and a clean end for all of them."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn
from django.db import connections

from inspector.startup.connection_options import for_pages
from inspector.startup.loop import connection_class, new_event_loop
from inspector.startup.processes import Helper, stop_all

UNFINISHED_REQUESTS = 2
KEEP_ALIVE = 75
"""Seconds: longer than clients keep a connection, so that it is not closed while they send a request."""


class _Server(uvicorn.Server):
    """Without signal handlers: uvicorn would raise signals again after its shutdown, before the helpers stopped."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def serve_until_told(listener: socket.socket, helpers: list[Helper], ready: Callable[[], None]) -> None:
    """Serves until SIGINT or SIGTERM. `ready` is called once requests are answered; the helpers start after it."""
    for_pages(connections.settings["default"])
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(_serve(listener, helpers, ready))


async def _serve(listener: socket.socket, helpers: list[Helper], ready: Callable[[], None]) -> None:
    server = _Server(_config())
    loop = asyncio.get_running_loop()
    hurry = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, _stop, server, hurry)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.005)
    ready()
    watching = [asyncio.create_task(helper.keep_running()) for helper in helpers]
    try:
        await serving
    finally:
        await stop_all(helpers, watching, hurry)


def _stop(server: _Server, hurry: asyncio.Event) -> None:
    # A second signal means: wait neither for requests nor for answers of a model that are paid for.
    if server.should_exit:
        server.force_exit = True
        hurry.set()
    server.should_exit = True


def _config() -> uvicorn.Config:
    return uvicorn.Config(
        "inspector.asgi:application",
        http=connection_class(),
        ws="none",
        lifespan="auto",
        interface="asgi3",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=UNFINISHED_REQUESTS,
    )
