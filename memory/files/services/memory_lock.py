"""Only one writer of memory at a time, be it a page, a run, the watcher, the command line or another host."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from django.db import connection, transaction

from inspector.locks.database_lock import Lock, database_lock


def memory_lock() -> AbstractContextManager[Lock]:
    """Released by the system or the database when the process ends, even if it is killed."""
    return database_lock("memory")


@contextmanager
def on_disk() -> Iterator[None]:
    """A transaction that is synced to disk when it ends. Otherwise SQLite may lose the last ones in a power failure,
    and the earlier text of a file must survive until the new one is written."""
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
