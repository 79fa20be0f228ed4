"""The database at one moment, however long reading takes and whoever writes meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from django.apps import apps
from django.apps.registry import Apps
from django.db import connection, models
from django.db.migrations.loader import MigrationLoader

from inspector.backup.format.errors import BackupError
from inspector.backup.format.rows import Row
from inspector.startup.schema import read_schema

MIGRATIONS = "django_migrations"
TEXT_INDEX = "transcripts_text"
WIDE = (models.BinaryField, models.TextField, models.JSONField)


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    columns: tuple[str, ...]
    wide: tuple[int, ...]
    """Indexes of the columns whose values may be long."""


class Snapshot(Protocol):
    @property
    def vendor(self) -> Literal["sqlite", "postgresql"]: ...

    def migrations(self) -> list[str]: ...

    def index_tables(self) -> list[Table]:
        """The tables of the text index, which differ between databases."""

    def sequences(self) -> dict[str, int]: ...

    def rows(self, table: Table) -> Iterator[Row]: ...

    def count_owed(self) -> int:
        """Files that are not in the archive yet."""


def snapshot() -> AbstractContextManager[Snapshot]:
    if connection.vendor == "postgresql":
        from inspector.backup.services.server_snapshot import server_snapshot

        return server_snapshot()
    from inspector.backup.services.sqlite_snapshot import sqlite_snapshot

    return sqlite_snapshot(Path(str(connection.settings_dict["NAME"])))


def stored_tables() -> list[Table]:
    """The tables with Lucid's data, whatever else is in the database. The schema may be older: a backup is made before
    an upgrade, and must not start one."""
    schema = read_schema(connection)
    if schema.unknown:
        raise BackupError(f"The database was made by a newer Lucid ({schema.unknown[-1]}); back it up with that one.")
    if not schema.applied:
        raise BackupError("There is no database yet, and so nothing to back up.")
    tables = []
    for model in (_older_apps() if schema.pending else apps).get_models(include_auto_created=True):
        fields = model._meta.concrete_fields
        wide = tuple(index for index, field in enumerate(fields) if isinstance(field, WIDE))
        tables.append(Table(model._meta.db_table, tuple(str(field.column) for field in fields), wide))
    return tables


def _older_apps() -> Apps:
    loader = MigrationLoader(connection)
    return loader.project_state(list(loader.applied_migrations)).apps
