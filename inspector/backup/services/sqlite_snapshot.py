"""A snapshot of SQLite is a read transaction: the write-ahead log lets others write meanwhile. SQLite's own copies (its
backup API and VACUUM INTO) would need a second file of the same size, and work for SQLite only."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Literal

from inspector.backup.format.errors import BackupError
from inspector.backup.format.rows import Row
from inspector.backup.services.snapshot import MIGRATIONS, TEXT_INDEX, Table

BUSY_SECONDS = 20


@contextmanager
def sqlite_snapshot(path: Path) -> Iterator[SqliteSnapshot]:
    with closing(sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)) as connection:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("BEGIN")
        # The transaction starts with the first page that it reads.
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        yield SqliteSnapshot(connection)


class SqliteSnapshot:
    vendor: Literal["sqlite"] = "sqlite"

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def migrations(self) -> list[str]:
        return [f"{app}.{name}" for app, name in self._all(f"SELECT app, name FROM {MIGRATIONS} ORDER BY id")]

    def index_tables(self) -> list[Table]:
        names = self._all("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB ?", f"{TEXT_INDEX}_*")
        return [self._table(str(name)) for (name,) in sorted(names)]

    def sequences(self) -> dict[str, int]:
        return {str(name): int(last) for name, last in self._all("SELECT name, seq FROM sqlite_sequence")}

    def count_owed(self) -> int:
        return int(self._all("SELECT count(*) FROM transcripts_source WHERE owed")[0][0])

    def rows(self, table: Table) -> Iterator[Row]:
        columns = ", ".join(f'"{column}"' for column in table.columns)
        try:
            yield from self._connection.execute(f'SELECT {columns} FROM "{table.name}"')
        except sqlite3.DatabaseError as error:
            raise BackupError(f"The table {table.name} cannot be read ({error}); `lucid check` says more.") from error

    def _table(self, name: str) -> Table:
        columns = tuple(str(column) for (column,) in self._all("SELECT name FROM pragma_table_info(?)", name))
        return Table(name, columns, tuple(range(len(columns))))

    def _all(self, sql: str, *values: str) -> list[tuple[str | int, ...]]:
        return self._connection.execute(sql, values).fetchall()
