"""Where a backup is restored to: a database beside the one that is in use, which takes its place when it is whole."""

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
        """Whether there is anything in it now."""

    def hold(self) -> AbstractContextManager[None]:
        """Nobody else uses the database meanwhile. Raises BackupError if somebody does."""

    def stage(self) -> AbstractContextManager[None]:
        """Meanwhile Django's connection leads to an empty database, in which nothing is that counts. It goes, unless it
        has taken its place by then."""

    def load(self, table: str, columns: Sequence[str], batches: Iterable[Rows]) -> None: ...

    def load_index(self, table: str, columns: Sequence[str], batches: Iterable[Rows]) -> bool:
        """False if this database does not let us; then the index has to be made anew."""

    def check(self) -> None:
        """All rows are there that others refer to. Raises DatabaseError or BackupError."""

    def set_sequences(self, sequences: dict[str, int]) -> None: ...

    def take_place(self, aside: Path | None) -> str:
        """The staged database becomes the one in use. What was there is moved aside, and where to is returned; without
        a place for it there is nothing in it. If this fails, the database in use is the one before."""

    def sync(self) -> None:
        """Down to the disk, after it has taken its place."""


def target() -> Target:
    if connection.vendor == "postgresql":
        from inspector.backup.services.server_target import ServerTarget

        return ServerTarget()
    from inspector.backup.services.sqlite_target import SqliteTarget

    return SqliteTarget(Path(str(connection.settings_dict["NAME"])))


def staged_columns() -> dict[str, set[str]]:
    """Of the tables of the database that Django is connected to, but for those that are made by other means."""
    introspection = connection.introspection
    with connection.cursor() as cursor:
        return {
            name: {column.name for column in introspection.get_table_description(cursor, name)}
            for name in introspection.table_names(cursor)
            if name != MIGRATIONS and name != TEXT_INDEX and not name.startswith(f"{TEXT_INDEX}_")
        }
