"""Migrates the database to the schema of this program, or says in one sentence why it cannot be used."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection

from inspector.locks.database_lock import database_lock
from inspector.startup.errors import StartupError
from inspector.startup.home import prepare_home, unwritable
from inspector.startup.schema import Schema, read_schema
from inspector.startup.sqlite_file import damage_of
from inspector.web.database_errors import find_trouble, reason_of
from inspector.web.disk_errors import FULL, has_no_room, is_full

KEPT = 2
Say = Callable[[str], None]


def ensure_database(say: Say | None = None, *, check: bool = False) -> None:
    """Migrates if needed, after a backup; quick if there is nothing to do.

    `say` gets a sentence for the person when an existing database is changed; `check` also looks for damage before the
    file is read. Raises StartupError."""
    path = _sqlite_path()
    try:
        prepare_home(settings.LUCID_HOME)
        if path is not None and path.is_dir():
            raise StartupError(f"The database {path} is a directory; move it away, or name a file in DATABASE_URL.")
        if check and path is not None and path.exists():
            _refuse_damaged(path)
        schema = read_schema(connection)
        _refuse_newer(schema)
        if schema.pending:
            with database_lock("migrate"):  # two that start together must not both migrate
                # Another process may have done it while we waited.
                _migrate(read_schema(connection), path, say)
    except OSError as error:
        raise StartupError(unwritable(settings.LUCID_HOME, error)) from error
    except DatabaseError as error:
        raise StartupError(_unusable(path, error)) from error


def _migrate(schema: Schema, path: Path | None, say: Say | None) -> None:
    if not schema.pending:
        return
    if schema.applied:
        tell = say or _silent
        tell(f"The database is of an older Lucid ({schema.applied[-1]}); bringing it to {schema.pending[-1]}.")
        if path is not None:
            tell(f"A copy of it as it was is in {back_up(path, schema.applied[-1])}.")
    from inspector.startup.migration import migrations_apply  # most commands have nothing to migrate

    migrations_apply()


def _silent(sentence: str) -> None:
    """Discards the sentence."""


def _sqlite_path() -> Path | None:
    return Path(str(connection.settings_dict["NAME"])) if connection.vendor == "sqlite" else None


def _refuse_damaged(path: Path) -> None:
    damage = damage_of(path)
    if damage:
        raise StartupError(_damage_sentence(path, damage))


def _refuse_newer(schema: Schema) -> None:
    if schema.unknown:
        raise StartupError(
            f"The database {connection.settings_dict['NAME']} was made by a newer Lucid ({schema.unknown[-1]}); "
            "start that version, or set LUCID_HOME to another directory."
        )


def _unusable(path: Path | None, error: DatabaseError) -> str:
    reason = reason_of(error)
    if path is None:
        return f"The database of DATABASE_URL cannot be used ({reason}); check the address and that it is running."
    if "malformed" in reason or "not a database" in reason:
        return _damage_sentence(path, reason)
    if is_full(error) or has_no_room(path.parent):
        return FULL
    if find_trouble(error):
        return f"The database {path} is held by another program; try again in a moment."
    return f"The database {path} cannot be used ({reason}); see whether the disk is sound and may be written."


def _damage_sentence(path: Path, reason: str) -> str:
    return (
        f"The database {path} is damaged ({reason}); move it away (keep it: sessions that your agent has deleted are "
        "only in there) and start again, and Lucid makes a new one from your transcripts, which are untouched."
    )


def back_up(path: Path, schema: str) -> Path:
    """Copies the database, names the copy after its schema, and keeps only the newest copies."""
    folder = path.parent / "backups"
    copy = folder / f"{path.stem}-{schema}{path.suffix}"
    draft = copy.with_name(f"{copy.name}.part")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        draft.unlink(missing_ok=True)
        _copy(path, draft)
        draft.replace(copy)
    except (OSError, sqlite3.Error) as error:
        draft.unlink(missing_ok=True)
        raise StartupError(
            f"The database needs a newer schema, but no copy of it could be made in {folder} ({error}); "
            "make room there and start again."
        ) from error
    copies = sorted(folder.glob(f"{path.stem}-*{path.suffix}"), key=lambda file: file.stat().st_mtime_ns, reverse=True)
    for old in copies[KEPT:]:
        old.unlink()
    return copy


def _copy(path: Path, target: Path) -> None:
    source = sqlite3.connect(path, timeout=20)
    try:
        destination = sqlite3.connect(target)
        try:
            source.backup(destination)
        finally:
            destination.close()
    finally:
        source.close()
