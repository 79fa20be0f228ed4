"""The ASGI application. Requests borrow a thread and give it back with its database connection open; left to itself,
Django starts a thread and opens the database for every one of them."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from asgiref.sync import ThreadSensitiveContext
from django.core.asgi import get_asgi_application

# Views queue tasks, so the application that they are queued in has to exist here.
from inspector.celery import app as celery_app

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from typing import Any

    from django.core.handlers.asgi import ASGIHandler

__all__ = ["application", "celery_app"]

IDLE_THREADS = 4


class PooledThreads:
    """One thread per request under way; a few are kept for the next ones."""

    def __init__(self, application: ASGIHandler) -> None:
        self._application = application
        self._idle: list[ThreadPoolExecutor] = []

    async def __call__(
        self,
        scope: dict[str, Any],
        receive: Callable[[], Awaitable[Mapping[str, Any]]],
        send: Callable[[Mapping[str, Any]], Awaitable[None]],
    ) -> None:
        thread = self._idle.pop() if self._idle else ThreadPoolExecutor(1, thread_name_prefix="request")
        try:
            async with ThreadSensitiveContext(executor=thread):
                await self._application(scope, receive, send)
        finally:
            self._give_back(thread)

    def _give_back(self, thread: ThreadPoolExecutor) -> None:
        """When the reader went away, the view may still be at work in the thread: it is idle only after that."""
        loop = asyncio.get_running_loop()
        thread.submit(_nothing).add_done_callback(lambda _: loop.call_soon_threadsafe(self._keep, thread))

    def _keep(self, thread: ThreadPoolExecutor) -> None:
        if len(self._idle) < IDLE_THREADS:
            self._idle.append(thread)
        else:
            thread.submit(_close_connections)
            thread.shutdown(wait=False)


def _nothing() -> None:
    """Runs when everything before it in the thread has."""


def _close_connections() -> None:
    from django.db import connections

    connections.close_all()


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "inspector.settings")
application = PooledThreads(get_asgi_application())
