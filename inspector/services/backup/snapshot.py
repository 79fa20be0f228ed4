"""The database at one moment, however long it takes to read it and whoever writes meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from django.apps import apps
from django.db import connection, models

from inspector.backup.rows import Row

MIGRATIONS = "django_migrations"
TEXT_INDEX = "transcripts_text"
WIDE = (models.BinaryField, models.TextField, models.JSONField)


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    columns: tuple[str, ...]
    wide: tuple[int, ...]
    """Places of the columns whose values may be long."""


class Snapshot(Protocol):
    @property
    def vendor(self) -> Literal["sqlite", "postgresql"]: ...

    def migrations(self) -> list[str]: ...

    def index_tables(self) -> list[Table]:
        """Those of the text index, which differ between databases."""

    def sequences(self) -> dict[str, int]: ...

    def rows(self, table: Table) -> Iterator[Row]: ...

    def owed(self) -> int:
        """Files whose bytes are not in the archive yet."""


def snapshot() -> AbstractContextManager[Snapshot]:
    if connection.vendor == "postgresql":
        from inspector.services.backup.server_snapshot import server_snapshot

        return server_snapshot()
    from inspector.services.backup.sqlite_snapshot import sqlite_snapshot

    return sqlite_snapshot(Path(str(connection.settings_dict["NAME"])))


def stored_tables() -> list[Table]:
    """Those that Lucid keeps its data in, whatever else is in the database."""
    found = []
    for model in apps.get_models(include_auto_created=True):
        fields = model._meta.concrete_fields
        wide = tuple(place for place, field in enumerate(fields) if isinstance(field, WIDE))
        found.append(Table(model._meta.db_table, tuple(str(field.column) for field in fields), wide))
    return found
