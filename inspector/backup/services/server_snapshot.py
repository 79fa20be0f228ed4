"""A snapshot of PostgreSQL is a transaction that sees one moment (repeatable read). COPY reads the tables, so that no
other program is needed whose version would have to fit the server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, Literal

import psycopg
from django.db import OperationalError, connection
from psycopg import sql

from inspector.backup.format.rows import Row
from inspector.backup.services.snapshot import MIGRATIONS, TEXT_INDEX, Table

BINARY = {
    "bigint": "int8",
    "integer": "int4",
    "smallint": "int2",
    "boolean": "bool",
    "double precision": "float8",
    "bytea": "bytea",
}
"""Types that are copied as binary; all others, including JSON and the text index, are copied as text."""
TYPES = """
    SELECT a.attname, format_type(a.atttypid, NULL) FROM pg_attribute a
    WHERE a.attrelid = %s::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""
SEQUENCES = """
    SELECT c.relname, s.last_value FROM pg_class c
    JOIN pg_depend d ON d.refobjid = c.oid AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
    JOIN pg_class q ON q.oid = d.objid AND q.relkind = 'S'
    JOIN pg_namespace n ON n.oid = q.relnamespace
    JOIN pg_sequences s ON s.schemaname = n.nspname AND s.sequencename = q.relname
    WHERE pg_table_is_visible(c.oid) AND s.last_value IS NOT NULL
"""


@contextmanager
def server_snapshot() -> Iterator[ServerSnapshot]:
    try:
        with closing(psycopg.connect(**connection.get_connection_params())) as reader:
            reader.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            reader.read_only = True
            # The first query takes the snapshot; reading it may take long.
            reader.execute("SELECT 1 FROM django_migrations LIMIT 1")
            yield ServerSnapshot(reader)
    except psycopg.Error as error:
        raise OperationalError(str(error)) from error


class ServerSnapshot:
    vendor: Literal["postgresql"] = "postgresql"

    def __init__(self, reader: psycopg.Connection[Any]) -> None:
        self._reader = reader

    def migrations(self) -> list[str]:
        rows = self._reader.execute(f"SELECT app, name FROM {MIGRATIONS} ORDER BY id").fetchall()
        return [f"{app}.{name}" for app, name in rows]

    def index_tables(self) -> list[Table]:
        columns = tuple(name for name, _ in self._types(TEXT_INDEX))
        return [Table(TEXT_INDEX, columns, tuple(range(len(columns))))]

    def sequences(self) -> dict[str, int]:
        return dict(self._reader.execute(SEQUENCES).fetchall())

    def count_owed(self) -> int:
        row = self._reader.execute("SELECT count(*) FROM transcripts_source WHERE owed").fetchone()
        return int(row[0]) if row else 0

    def rows(self, table: Table) -> Iterator[Row]:
        types = [BINARY.get(kind, "text") for kind in self._kinds(table)]
        columns = [
            sql.SQL("{}::{}").format(sql.Identifier(column), sql.SQL(kind))
            for column, kind in zip(table.columns, types, strict=True)
        ]
        query = sql.SQL("COPY (SELECT {} FROM {}) TO STDOUT (FORMAT BINARY)").format(
            sql.SQL(", ").join(columns), sql.Identifier(table.name)
        )
        with self._reader.cursor() as cursor, cursor.copy(query) as copy:
            copy.set_types(types)
            yield from copy.rows()

    def _kinds(self, table: Table) -> list[str]:
        kinds = dict(self._types(table.name))
        return [kinds[column] for column in table.columns]

    def _types(self, table: str) -> list[tuple[str, str]]:
        return self._reader.execute(TYPES, [table]).fetchall()
