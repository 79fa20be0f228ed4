"""The event loop and the parser: uvloop and httptools with the extra `fast`, else those of Python and uvicorn."""

from __future__ import annotations

import asyncio
from importlib.util import find_spec

from inspector.startup.connection import Connection


def new_event_loop() -> asyncio.AbstractEventLoop:
    if find_spec("uvloop") is None:
        return asyncio.new_event_loop()
    import uvloop

    loop: asyncio.AbstractEventLoop = uvloop.new_event_loop()
    return loop


def connection_class() -> type[Connection]:
    if find_spec("httptools") is None:
        from inspector.startup.h11_connection import H11Connection

        return H11Connection
    from inspector.startup.httptools_connection import HttptoolsConnection

    return HttptoolsConnection
