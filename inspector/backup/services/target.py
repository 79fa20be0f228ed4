"""Where a backup is restored: a database beside the one in use, which replaces it when it is complete."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from django.db import connection

from inspector.backup.format.reader import Rows
from inspector.backup.services.snapshot import MIGRATIONS, TEXT_INDEX


class Target(Protocol):
    def has_rows(self) -> bool:
        """Whether the database in use has any rows."""

    def hold(self) -> AbstractContextManager[None]:
        """Keeps others from using the database meanwhile. Raises BackupError if somebody uses it."""

    def stage(self) -> AbstractContextManager[None]:
        """Meanwhile Django is connected to an empty database. It is removed at the end, unless it has replaced the one
        in use."""

    def load(self, table: str, columns: Sequence[str], batches: Iterable[Rows]) -> None: ...

    def load_index(self, table: str, columns: Sequence[str], batches: Iterable[Rows]) -> bool:
        """False if this database does not allow it; then the index has to be rebuilt."""

    def check(self) -> None:
        """Checks that no reference leads to a missing row. Raises DatabaseError or BackupError."""

    def set_sequences(self, sequences: dict[str, int]) -> None: ...

    def take_place(self, aside: Path | None) -> str:
        """Makes the staged database the one in use. Moves the former one aside and returns its location; `aside` is
        None if the former one is empty. If this fails, the former database stays in use."""

    def sync(self) -> None:
        """Syncs the new database to disk."""


def target() -> Target:
    if connection.vendor == "postgresql":
        from inspector.backup.services.server_target import ServerTarget

        return ServerTarget()
    from inspector.backup.services.sqlite_target import SqliteTarget

    return SqliteTarget(Path(str(connection.settings_dict["NAME"])))


def staged_columns() -> dict[str, set[str]]:
    """The columns of the tables in the connected database, except tables that are created by other means."""
    introspection = connection.introspection
    with connection.cursor() as cursor:
        return {
            name: {column.name for column in introspection.get_table_description(cursor, name)}
            for name in introspection.table_names(cursor)
            if name != MIGRATIONS and name != TEXT_INDEX and not name.startswith(f"{TEXT_INDEX}_")
        }
