"""One writer of memory at a time, whoever it is: a page, a run, the watcher, the command line."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction


@contextmanager
def memory_lock() -> Iterator[None]:
    """The system lets go of it when the process ends, however it ends."""
    path = Path(settings.LUCID_HOME) / "memory.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def on_disk() -> Iterator[None]:
    """A transaction that has reached the disk when it is over. Otherwise SQLite lets the last ones go when the power
    fails, and the earlier text of a file has to outlast the new one."""
    strict = connection.vendor == "sqlite" and not connection.in_atomic_block
    if strict:
        _synchronous("FULL")
    try:
        with transaction.atomic():
            yield
    finally:
        if strict:
            _synchronous("NORMAL")


def _synchronous(level: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA synchronous = {level}")
