"""Restores a backup: verified first, built beside the existing data, and swapped in when it is complete."""

from __future__ import annotations

import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from inspector.backup.format.errors import BackupError, HalfRestoredError
from inspector.backup.format.manifest import Manifest, Stream
from inspector.backup.format.reader import BackupReader, Rows
from inspector.backup.format.writer import Progress
from inspector.backup.services import home_files
from inspector.backup.services.disk_sync import sync_folder
from inspector.backup.services.reindexing import reindex
from inspector.backup.services.target import Target, staged_columns, target
from inspector.startup.home_claim import claim_home, running_at
from inspector.startup.privacy import tighten_home
from inspector.startup.schema import read_schema
from sessions.text.engine.words import size

STAGING = ".restoring-"
ASIDE = "before-restore-"
LOCK = ".lock"
"""The lock of the folder of recordings."""
KEPT_NAMES = ("serve.lock", "logs")
"""Files that belong to the machine or to this process, not to the data."""


@dataclass(frozen=True, slots=True)
class RestoreResult:
    path: Path
    bytes: int
    seconds: float
    manifest: Manifest
    migrated: tuple[str, ...]
    """Migrations that brought an older schema up to date."""
    reindexed: bool
    aside: tuple[str, ...]
    """Where the former data is now."""


def backup_restore(*, path: Path, replace: bool, progress: Progress, say: Callable[[str], None]) -> RestoreResult:
    """Raises BackupError, OSError or DatabaseError; then nothing has changed, unless it is a HalfRestoredError."""
    started = time.monotonic()
    home = Path(settings.LUCID_HOME)
    if not path.is_file():
        raise BackupError(f"There is no file {path}.")
    with path.open("rb") as file:
        reader = BackupReader(file)
        manifest = reader.verify(progress)
        _refuse_newer(manifest)
        restore_target = target()
        bytes_read = os.fstat(file.fileno()).st_size
        with _claim(home):
            is_taken = _is_taken(home, restore_target)
            if is_taken and not replace:
                raise BackupError(
                    f"{_describe_target(home)} is not empty; --replace moves what is there aside. It deletes nothing."
                )
            _refuse_without_room(manifest, home)
            restore = _Restore(reader, manifest, restore_target, home, path, progress, say)
            aside = home / f"{ASIDE}{datetime.now(UTC):%Y%m%dt%H%M%Sz}" if is_taken else None
            with restore_target.hold():
                moved = restore.run(aside)
        return RestoreResult(
            path=path,
            bytes=bytes_read,
            seconds=time.monotonic() - started,
            manifest=manifest,
            migrated=restore.migrated,
            reindexed=restore.reindexed,
            aside=moved,
        )


class _Restore:
    def __init__(
        self,
        reader: BackupReader,
        manifest: Manifest,
        restore_target: Target,
        home: Path,
        path: Path,
        progress: Progress,
        say: Callable[[str], None],
    ) -> None:
        self._reader, self._manifest, self._target = reader, manifest, restore_target
        self._home, self._path = home, path
        self._progress, self._say = progress, say
        self.migrated: tuple[str, ...] = ()
        self.reindexed = False
        self._aside: tuple[str, ...] | None = None
        """Where the former data is, once the database is replaced."""

    def run(self, aside: Path | None) -> tuple[str, ...]:
        with _staging(self._home) as staging:
            self._write_files(staging)
            try:
                with self._target.stage():
                    self._fill()
                    self._take_place(aside)
                    self._target.sync()
                _put_files(staging, self._home, aside, self._path)
            except (OSError, DatabaseError) as error:
                if self._aside is None:
                    raise
                raise HalfRestoredError(str(self._home), _reason(error), self._aside) from error
            if sentence := tighten_home(self._home):
                self._say(sentence)
        return self._aside or ()

    def _take_place(self, aside: Path | None) -> None:
        if aside is None:
            self._target.take_place(None)
            self._aside = ()
            return
        aside.mkdir(mode=0o700)
        try:
            moved = self._target.take_place(aside)
        except BaseException:
            with suppress(OSError):
                aside.rmdir()
            raise
        elsewhere = bool(moved) and not moved.startswith(f"{aside}/")
        self._aside = (str(aside), moved) if elsewhere else (str(aside),)

    def _write_files(self, staging: Path) -> None:
        writer = home_files.FileWriter(staging)
        for stream in self._manifest.of_kind("files"):
            if stream.name != home_files.STREAM or tuple(stream.columns) != home_files.COLUMNS:
                raise BackupError(f"The backup holds files in a way that is not known ({stream.name}).")
            for rows in self._reader.batches(stream):
                for row in rows:
                    writer.write(row)
        if writer.count != self._manifest.files:
            raise BackupError(f"The backup holds {writer.count} files instead of {self._manifest.files}.")

    def _fill(self) -> None:
        _migrate_to(self._manifest.migrations)
        tables = self._manifest.of_kind("tables")
        _refuse_other_tables(tables)
        with transaction.atomic():
            for stream in tables:
                self._target.load(stream.name, stream.columns, self._rows(stream))
            self._target.check()
        indexed = self._load_index()
        self._target.set_sequences(self._manifest.sequences)
        self.migrated = read_schema(connection).pending
        call_command("migrate", verbosity=0, interactive=False, skip_checks=True)
        if not indexed:
            self._say("The text index is made anew from the archive.")
            for sentence in reindex(self._progress):
                self._say(sentence)
            self.reindexed = True

    def _load_index(self) -> bool:
        if self._manifest.database != connection.vendor:
            return False
        streams = self._manifest.of_kind("index")
        with connection.cursor() as cursor:
            existing = set(connection.introspection.table_names(cursor, include_views=False))
        if not streams or not {stream.name for stream in streams} <= existing:
            return False
        with transaction.atomic():
            return all(self._target.load_index(stream.name, stream.columns, self._rows(stream)) for stream in streams)

    def _rows(self, stream: Stream) -> Iterator[Rows]:
        width = len(stream.columns)
        for rows in self._reader.batches(stream):
            if any(len(row) != width for row in rows):
                raise BackupError(f"The backup holds rows of {stream.name} that have another number of columns.")
            yield rows
            self._progress(stream.name, self._reader.position)


def _refuse_newer(manifest: Manifest) -> None:
    known_names = {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}
    unknown = [name for name in manifest.migrations if name not in known_names]
    if unknown:
        raise BackupError(
            f"The backup was made by a newer Lucid ({manifest.lucid}, with {unknown[-1]}); restore it with that one."
        )


def _migrate_to(migrations: list[str]) -> None:
    """Migrates to the schema of the rows."""
    names = [(app, name) for app, _, name in (migration.partition(".") for migration in migrations)]
    MigrationExecutor(connection).migrate(names)
    applied = read_schema(connection).applied
    if set(applied) != set(migrations):
        raise BackupError("The backup is of a schema that no Lucid has had. Nothing was changed.")


def _refuse_other_tables(streams: list[Stream]) -> None:
    columns = staged_columns()
    for stream in streams:
        if columns.pop(stream.name, None) != set(stream.columns) or len(set(stream.columns)) < len(stream.columns):
            raise BackupError(f"The backup holds a table that its schema lacks ({stream.name}). Nothing was changed.")
    if columns:
        raise BackupError(f"The backup lacks the table {min(columns)}. Nothing was changed.")


def _refuse_without_room(manifest: Manifest, home: Path) -> None:
    raw = sum(stream.raw for stream in manifest.streams if connection.vendor == "sqlite" or stream.kind == "files")
    free = shutil.disk_usage(home).free
    if raw > free:
        raise BackupError(
            f"The backup needs about {size(raw)} in {home}, and {size(free)} are free. Nothing was changed."
        )


def _is_taken(home: Path, restore_target: Target) -> bool:
    """Whether the home has anything that cannot be recreated. Keys without data do not count."""
    folders = (home / folder for folder in home_files.FOLDERS)
    return restore_target.has_rows() or any(
        name != LOCK for folder in folders for _, _, names in os.walk(folder) for name in names
    )


def _describe_target(home: Path) -> str:
    return f"The home {home}" if connection.vendor == "sqlite" else f"The database of DATABASE_URL, or the home {home},"


@contextmanager
def _claim(home: Path) -> Iterator[None]:
    url = running_at(home)
    if url is not None:
        raise BackupError(f"Lucid runs on {url} with the home {home}; stop it and try again.")
    claim = claim_home(home, "a backup that is being restored")
    try:
        yield
    finally:
        claim.close()


@contextmanager
def _staging(home: Path) -> Iterator[Path]:
    for leftover in home.glob(f"{STAGING}*"):
        shutil.rmtree(leftover, ignore_errors=True)
    folder = home / f"{STAGING}{secrets.token_hex(4)}"
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _reason(error: Exception) -> str:
    return ((isinstance(error, OSError) and error.strerror) or str(error)).strip().lower()


def _put_files(staging: Path, home: Path, aside: Path | None, path: Path) -> None:
    if aside is not None:
        # The database is in place by now, and the former one was moved aside.
        own = {staging.name, aside.name, *KEPT_NAMES, Path(str(connection.settings_dict["NAME"])).name}
        for old in home.iterdir():
            if old.name not in own and not old.name.startswith(ASIDE) and not path.is_relative_to(old):
                old.rename(aside / old.name)
    for new in sorted(staging.iterdir()):
        place = home / new.name
        if place.is_dir():
            shutil.rmtree(place)  # it has no file that anybody would miss: see _is_taken
        new.replace(place)
    sync_folder(home)
