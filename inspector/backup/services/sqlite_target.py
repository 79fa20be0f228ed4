"""Restores a backup into an SQLite file beside the database, which then takes its name in one step."""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from django.db import connection

from inspector.backup.format.errors import BackupError, NotPutBackError
from inspector.backup.format.reader import Rows
from inspector.backup.services.disk_sync import sync_file, sync_folder
from inspector.backup.services.snapshot import MIGRATIONS, TEXT_INDEX
from inspector.startup.sqlite_file import MAGIC
from sessions.text.engine.error_reason import reason_of

BUSY_SECONDS = 3
SUFFIXES = ("-wal", "-shm", "-journal")
# The file does not count until it is complete, so nothing ever has to be rolled back.
PRAGMAS = (
    "PRAGMA page_size = 4096",
    "PRAGMA journal_mode = OFF",
    "PRAGMA synchronous = OFF",
    "PRAGMA foreign_keys = OFF",
    "PRAGMA temp_store = MEMORY",
    f"PRAGMA cache_size = -{64 * 1024}",
)


class SqliteTarget:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._staged = path.with_name(f".{path.name}.restoring-{secrets.token_hex(4)}")

    def has_rows(self) -> bool:
        if self._is_absent():
            return False
        if not self._is_database():
            return True
        try:
            with closing(sqlite3.connect(self._path, timeout=BUSY_SECONDS)) as old:
                names = old.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
                return any(
                    old.execute(f'SELECT 1 FROM "{name}" LIMIT 1').fetchone()
                    for (name,) in names
                    if name != MIGRATIONS and not name.startswith((TEXT_INDEX, "sqlite_"))
                )
        except sqlite3.DatabaseError:
            return True  # whatever it holds, it is not ours to judge

    @contextmanager
    def hold(self) -> Iterator[None]:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._is_absent() or not self._is_database():
            yield
            return
        with closing(sqlite3.connect(self._path, timeout=BUSY_SECONDS, isolation_level=None)) as old:
            try:
                # Whoever has the file open keeps the journal from being changed. Without one, nothing of the old
                # database lies beside it that the new one could be taken to belong to.
                old.execute("PRAGMA journal_mode = DELETE").fetchone()
                old.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                if "locked" in str(error):
                    raise BackupError(
                        f"Another program uses the database {self._path}; stop every Lucid on it and try again."
                    ) from error
            except sqlite3.DatabaseError:
                pass  # it is damaged: that may be why a backup is restored
            yield

    @contextmanager
    def stage(self) -> Iterator[None]:
        settings = connection.settings_dict
        previous = settings["NAME"], settings["OPTIONS"]
        connection.close()
        settings["NAME"] = str(self._staged)
        settings["OPTIONS"] = {"init_command": ";".join(PRAGMAS)}
        for leftover in self._path.parent.glob(f".{self._path.name}.restoring-*"):
            leftover.unlink()  # by a restore that was killed
        os.close(os.open(self._staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        try:
            yield
        finally:
            connection.close()
            settings["NAME"], settings["OPTIONS"] = previous
            with suppress(OSError):  # the next restore removes it, and what went wrong before has to be said
                self._staged.unlink()

    def load(self, table: str, columns: Sequence[str], batches: Iterable[Rows]) -> None:
        names = ", ".join(f'"{column}"' for column in columns)
        marks = ", ".join("?" * len(columns))
        for rows in batches:
            self._raw().executemany(f'INSERT INTO "{table}" ({names}) VALUES ({marks})', rows)

    def load_index(self, table: str, columns: Sequence[str], batches: Iterable[Rows]) -> bool:
        try:
            self._raw().execute(f'DELETE FROM "{table}"')
        except sqlite3.OperationalError:
            return False  # a build of SQLite that lets nobody write to what its index is made of
        self.load(table, columns, batches)
        return True

    def check(self) -> None:
        row = self._raw().execute("PRAGMA foreign_key_check").fetchone()
        if row is not None:
            raise BackupError(f"The backup lacks rows that its table {row[0]} refers to. Nothing was changed.")

    def set_sequences(self, sequences: dict[str, int]) -> None:
        raw = self._raw()
        tables = {name for (name,) in raw.execute("SELECT name FROM sqlite_master WHERE sql LIKE '%AUTOINCREMENT%'")}
        for table in tables & sequences.keys():
            raw.execute("DELETE FROM sqlite_sequence WHERE name = ?", [table])
            raw.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [table, sequences[table]])

    def take_place(self, aside: Path | None) -> str:
        connection.close()
        sync_file(self._staged)
        old_path = None if aside is None or not self._path.exists() else self._old_path(aside)
        try:
            if old_path is not None:
                self._move_aside(old_path)
            self._staged.replace(self._path)
        except OSError:
            if old_path is not None:
                self._put_back(old_path)
            raise
        return str(old_path or "")

    def sync(self) -> None:
        sync_folder(self._path.parent)

    def _old_path(self, aside: Path) -> Path:
        # A database that has a place of its own keeps what was there beside it, on the same disk.
        ours = aside.parent == self._path.parent
        return aside / self._path.name if ours else self._path.with_name(f"{self._path.name}.{aside.name}")

    def _move_aside(self, old_path: Path) -> None:
        # Another name for the same file: there is no moment without a database.
        try:
            os.link(self._path, old_path)
        except OSError:
            self._path.rename(old_path)
        for ending in SUFFIXES:
            with suppress(FileNotFoundError):
                Path(f"{self._path}{ending}").rename(f"{old_path}{ending}")

    def _put_back(self, old_path: Path) -> None:
        try:
            self._move_back(old_path)
        except OSError as error:
            reason = reason_of(error)
            raise NotPutBackError(str(self._path), reason, str(old_path.parent)) from error

    def _move_back(self, old_path: Path) -> None:
        for ending in SUFFIXES:
            if (moved := Path(f"{old_path}{ending}")).exists():
                moved.rename(f"{self._path}{ending}")
        if not self._path.exists():
            old_path.rename(self._path)
            return
        with suppress(OSError):  # a second name at most
            old_path.unlink()

    def _is_absent(self) -> bool:
        return not self._path.exists() or not self._path.stat().st_size

    def _is_database(self) -> bool:
        """What is none is not opened: SQLite would throw away what lies beside it."""
        with self._path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC

    def _raw(self) -> sqlite3.Connection:
        connection.ensure_connection()
        raw: sqlite3.Connection = connection.connection
        return raw
