"""What makes a first import of gigabytes quick: indexes are built once at the end instead of row by row."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

from sessions.models import Entry

LARGE = 32 * 1024 * 1024
INDEXES = {
    "entry_uuid": "transcripts_entry (uuid_key)",
    "entry_tool": "transcripts_entry (tool_key) WHERE tool_key IS NOT NULL",
}
"""Those of `Entry`, as the migration makes them."""


@contextmanager
def loading(todo_bytes: int) -> Iterator[None]:
    """Around an import into an empty archive. One that is killed leaves the indexes to the next, which makes them."""
    if todo_bytes > LARGE and not Entry.objects.exists():
        _drop()
    try:
        yield
    finally:
        restore()


def restore() -> None:
    """Create those of the indexes that are missing; nothing when none is."""
    with transaction.atomic(), connection.cursor() as cursor:
        for name, what in INDEXES.items():
            cursor.execute(f"CREATE INDEX IF NOT EXISTS {name} ON {what}")


def _drop() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        for name in INDEXES:
            cursor.execute(f"DROP INDEX IF EXISTS {name}")


def tidy(todo_bytes: int) -> None:
    """Put the journal of a large import back into the database file."""
    if todo_bytes > LARGE and connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
