"""Makes a backup: written to a draft, read back, and only then renamed."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from django.conf import settings

from inspector import __version__
from inspector.backup.format.errors import BackupError
from inspector.backup.format.manifest import Manifest
from inspector.backup.format.reader import BackupReader
from inspector.backup.format.writer import BackupWriter, Progress
from inspector.backup.selectors import NOTE
from inspector.backup.services import home_files
from inspector.backup.services.disk_sync import sync_folder
from inspector.backup.services.snapshot import Table, snapshot, stored_tables
from inspector.web.clock import now_ms
from sessions.archive.engine.durable_files import replace_durably
from sessions.text.engine.error_reason import reason_of
from sessions.transcripts.engine.paths import encode_path

UNFINISHED = ".part"
SOURCES = "transcripts_source"


@dataclass(frozen=True, slots=True)
class BackupResult:
    path: Path
    bytes: int
    seconds: float
    manifest: Manifest
    is_noted: bool
    """Whether the home has a note of it."""


def backup_make(*, path: Path, replace: bool, progress: Progress) -> BackupResult:
    """Raises BackupError, OSError or DatabaseError, and leaves nothing behind that the disk lets go."""
    _refuse(path, replace=replace)
    started = time.monotonic()
    with _draft(path) as (draft, file):
        _write(file, progress)
        file.flush()
        os.fsync(file.fileno())
        manifest = _read_back(file, progress)
        size = file.tell()
        _refuse(path, replace=replace)
        draft.replace(path)
    try:
        sync_folder(path.parent)
    except OSError as error:
        raise BackupError(
            f"{path} is written and was read back, but the disk failed before its name was safe ({reason_of(error)})."
            " Make the backup again when the disk works."
        ) from error
    return BackupResult(path, size, time.monotonic() - started, manifest, _note(path, manifest, size))


def _note(path: Path, manifest: Manifest, size: int) -> bool:
    """Never fails: a home on a full disk can be backed up to another disk, even if there is no room for the note."""
    try:
        note_write(home=settings.LUCID_HOME, path=path, at=manifest.created_at, size=size)
    except OSError:
        return False
    return True


def _refuse(path: Path, *, replace: bool) -> None:
    if path.is_dir():
        raise BackupError(f"{path} is a directory; name a file in it.")
    if not path.parent.is_dir():
        raise BackupError(f"There is no directory {path.parent}; make it first.")
    if path.exists() and not path.is_file():
        raise BackupError(f"{path} is no file.")
    if path.exists() and path.stat().st_size and not replace:
        raise BackupError(f"{path} is there already; name another file, or say --replace.")


def _write(file: IO[bytes], progress: Progress) -> None:
    tables = stored_tables()
    writer = BackupWriter(file, progress)
    created_at = now_ms()
    # Files first: see there.
    files = home_files.FileReader(Path(settings.LUCID_HOME))
    writer.stream("files", home_files.STREAM, home_files.COLUMNS, files.rows(), wide=home_files.WIDE)
    with snapshot() as database:
        for table in tables:
            writer.stream("tables", table.name, table.columns, database.rows(table), wide=table.wide)
        for table in database.index_tables():
            writer.stream("index", table.name, table.columns, database.rows(table), wide=table.wide)
        writer.finish(
            Manifest(
                lucid=__version__,
                created_at=created_at,
                database=database.vendor,
                migrations=database.migrations(),
                files=files.count,
                owed=database.count_owed() if _knows_owed(tables) else 0,
                sequences=database.sequences(),
                streams=writer.streams,
            )
        )


def _knows_owed(tables: list[Table]) -> bool:
    """Older schemas do not have the column."""
    return any(table.name == SOURCES and "owed" in table.columns for table in tables)


def _read_back(file: IO[bytes], progress: Progress) -> Manifest:
    # From the disk, if the system drops what it has just cached.
    with suppress(OSError):
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return BackupReader(file).verify(progress)


@contextmanager
def _draft(path: Path) -> Iterator[tuple[Path, IO[bytes]]]:
    _remove_drafts(path)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}{UNFINISHED}")
    descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "w+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield draft, file
    finally:
        with suppress(OSError):  # gone if it was renamed; the next backup to this path removes what stays
            draft.unlink()


def _remove_drafts(path: Path) -> None:
    """Removes drafts of backups to the same path that were killed; running ones hold a lock."""
    for draft in path.parent.glob(f".{path.name}.*{UNFINISHED}"):
        with draft.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            draft.unlink(missing_ok=True)


def note_write(*, home: Path, path: Path, at: int, size: int) -> None:
    note = {"path": encode_path(path.absolute()), "at": at, "bytes": size}
    replace_durably(home / NOTE, json.dumps(note).encode("ascii"))
