"""Makes a first import of gigabytes quick: indexes are built once at the end instead of row by row."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

from sessions.imports.services.import_lock import ImportLock
from sessions.models import Entry

LARGE_BYTES = 32 * 1024 * 1024
INDEXES = {
    "entry_uuid": "transcripts_entry (uuid_key)",
    "entry_tool": "transcripts_entry (tool_key) WHERE tool_key IS NOT NULL",
}
"""Those of `Entry`, as the migration makes them."""


@contextmanager
def drop_indexes_while_loading(todo_bytes: int, lock: ImportLock) -> Iterator[None]:
    """Wraps an import into an empty archive. If it is killed, the next import makes the indexes."""
    dropped = todo_bytes > LARGE_BYTES and _drop_indexes(lock)
    try:
        yield
    finally:
        # Another import may have dropped them, and makes them once it has read its files.
        if _is_any_index_missing() and (dropped or not lock.busy_hosts()):
            _restore_indexes(lock)


def _drop_indexes(lock: ImportLock) -> bool:
    with lock.alone(), transaction.atomic(), connection.cursor() as cursor:
        lock.guard_all()
        if Entry.objects.exists() or lock.busy_hosts():
            return False
        for name in INDEXES:
            cursor.execute(f"DROP INDEX IF EXISTS {name}")
    return True


def _restore_indexes(lock: ImportLock) -> None:
    with lock.alone(), transaction.atomic(), connection.cursor() as cursor:
        lock.guard_all()
        for name, columns in INDEXES.items():
            cursor.execute(f"CREATE INDEX IF NOT EXISTS {name} ON {columns}")


def _is_any_index_missing() -> bool:
    """Check first, because on PostgreSQL even CREATE INDEX IF NOT EXISTS waits for all writers."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'index'")
        else:
            cursor.execute("SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()")
        return not INDEXES.keys() <= {name for (name,) in cursor.fetchall()}


def checkpoint_journal(todo_bytes: int) -> None:
    """Moves the journal of a large import back into the database file."""
    if todo_bytes > LARGE_BYTES and connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
