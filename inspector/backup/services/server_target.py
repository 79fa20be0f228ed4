"""Restores a backup into a schema of its own on PostgreSQL. One transaction then swaps the tables with those in use,
which move to another schema."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.apps import apps
from django.db import DatabaseError, connection, transaction

from inspector.backup.format.errors import BackupError, UnknownOutcomeError
from inspector.backup.format.reader import Rows
from inspector.backup.format.rows import Value
from inspector.backup.services.snapshot import MIGRATIONS, TEXT_INDEX
from inspector.web.database_errors import reason_of
from sessions.text.engine.storable import storable_json

STAGING = "lucid_restoring_"
OTHERS = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""
TYPES = "SELECT attname, format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = %s"


class ServerTarget:
    def __init__(self) -> None:
        self._staging = f"{STAGING}{secrets.token_hex(4)}"
        self._used = ""
        """The schema of the tables in use."""

    def has_rows(self) -> bool:
        return any(
            self._fetch_one(f"SELECT EXISTS (SELECT 1 FROM {_quote(table)})") == (True,)
            for table in self._ours(self._current())
            if table not in (MIGRATIONS, TEXT_INDEX)
        )

    @contextmanager
    def hold(self) -> Iterator[None]:
        self._refuse_others()
        yield

    @contextmanager
    def stage(self) -> Iterator[None]:
        self._used = self._current()
        for leftover in self._leftover_schemas():
            self._execute(f"DROP SCHEMA {_quote(leftover)} CASCADE")
        self._execute(f"CREATE SCHEMA {_quote(self._staging)}")
        self._execute(f"SET search_path TO {_quote(self._staging)}")
        try:
            yield
        finally:
            if not connection.needs_rollback and not connection.in_atomic_block:
                self._execute(f"DROP SCHEMA IF EXISTS {_quote(self._staging)} CASCADE")
            connection.close()

    def load(self, table: str, columns: Sequence[str], batches: Iterable[Rows]) -> None:
        names = ", ".join(_quote(column) for column in columns)
        with connection.cursor() as cursor:
            cursor.execute(TYPES, [table])
            types = dict(cursor.fetchall())
            changes = [
                (place, _CONVERSIONS[types[name]]) for place, name in enumerate(columns) if types[name] in _CONVERSIONS
            ]
            copying: Any = cursor
            with copying.copy(f"COPY {_quote(table)} ({names}) FROM STDIN") as copy:
                for rows in batches:
                    for row in rows:
                        copy.write_row(_convert(row, changes) if changes else row)

    def load_index(self, table: str, columns: Sequence[str], batches: Iterable[Rows]) -> bool:
        self.load(table, columns, batches)
        return True

    def check(self) -> None:
        self._execute("SET CONSTRAINTS ALL IMMEDIATE")

    def set_sequences(self, sequences: dict[str, int]) -> None:
        for table in self._ours(self._staging):
            sequence = (
                self._fetch_one("SELECT pg_get_serial_sequence(%s, 'id')", table) if self._has_id(table) else None
            )
            if sequence and sequence[0]:
                (highest,) = self._fetch_one(f"SELECT coalesce(max(id), 0) FROM {_quote(table)}")
                last = max(highest, sequences.get(table, 0))
                if last:
                    self._fetch_one("SELECT setval(%s, %s)", sequence[0], last)

    def take_place(self, aside: Path | None) -> str:
        moved = f"lucid_{aside.name.replace('-', '_').lower()}" if aside else ""
        try:
            old = self._swap_tables(moved)
        except DatabaseError as error:
            raise UnknownOutcomeError(reason_of(error)) from error
        return f"the schema {moved}" if moved and old else ""

    def _swap_tables(self, moved: str) -> list[str]:
        with transaction.atomic():
            self._refuse_others()
            old = self._ours(self._used)
            if moved and old:
                self._execute(f"CREATE SCHEMA {_quote(moved)}")
            for table in old:
                place = f"{_quote(self._used)}.{_quote(table)}"
                self._execute(
                    f"ALTER TABLE {place} SET SCHEMA {_quote(moved)}" if moved else f"DROP TABLE {place} CASCADE"
                )
            for table in self._all_in(self._staging):
                self._execute(f"ALTER TABLE {_quote(table)} SET SCHEMA {_quote(self._used)}")
        return old

    def sync(self) -> None:
        """The server did it when the transaction ended."""

    def _refuse_others(self) -> None:
        (others,) = self._fetch_one(OTHERS)
        if others:
            raise BackupError(
                f"The database is in use ({others} more connected); stop every Lucid on it and try again."
            )

    def _leftover_schemas(self) -> list[str]:
        """Schemas of restores that were killed; nobody else is connected."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT nspname FROM pg_namespace WHERE starts_with(nspname, %s)", [STAGING])
            return [name for (name,) in cursor.fetchall()]

    def _current(self) -> str:
        (schema,) = self._fetch_one("SELECT current_schema()")
        return str(schema)

    def _ours(self, schema: str) -> list[str]:
        """Lucid's tables, including those of other versions."""
        prefixes = tuple(f"{config.label}_" for config in apps.get_app_configs())
        return [name for name in self._all_in(schema) if name == MIGRATIONS or name.startswith(prefixes)]

    def _all_in(self, schema: str) -> list[str]:
        with connection.cursor() as cursor:
            cursor.execute(TABLES, [schema])
            return sorted(name for (name,) in cursor.fetchall())

    def _has_id(self, table: str) -> bool:
        with connection.cursor() as cursor:
            cursor.execute(TYPES, [table])
            return "id" in dict(cursor.fetchall())

    def _execute(self, statement: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute(statement)

    def _fetch_one(self, statement: str, *values: str | int) -> tuple[Any, ...]:
        with connection.cursor() as cursor:
            cursor.execute(statement, values)
            row: tuple[Any, ...] = cursor.fetchone()
            return row


def _to_bool(value: Value) -> Value:
    return bool(value) if isinstance(value, int) else value


def _to_json(value: Value) -> Value:
    return storable_json(value) if isinstance(value, str) else value


_CONVERSIONS = {"boolean": _to_bool, "jsonb": _to_json}
"""SQLite stores booleans as numbers, and accepts characters in JSON that PostgreSQL refuses."""


def _convert(row: tuple[Value, ...], changes: Sequence[tuple[int, Any]]) -> list[Value]:
    values = list(row)
    for place, change in changes:
        values[place] = change(values[place])
    return values


def _quote(name: str) -> str:
    return connection.ops.quote_name(name)
