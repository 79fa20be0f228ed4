"""One writer of memory at a time, whoever it is: a page, a run, the watcher, the command line, another host."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from django.db import connection, transaction

from inspector.locks.database_lock import Lock, database_lock


def memory_lock() -> AbstractContextManager[Lock]:
    """The system, or the database, lets go of it when the process ends, however it ends."""
    return database_lock("memory")


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
