"""The files of the home that cannot be recreated: no queue, locks, logs or sockets."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from inspector.backup.format.errors import BackupError
from inspector.backup.format.rows import Row
from memory.files.engine.disk.folder import TEMPORARY
from sessions.capture.endpoint.spool import SUFFIX
from sessions.transcripts.engine.paths import decode_path, encode_path

STREAM = "home"
COLUMNS = ("path", "piece", "mtime_ns", "data")
WIDE = (3,)
KEYS = ("secret.key", "owner.key")
CAPTURES = "captures"
FOLDERS = (CAPTURES, "notes", "demo", "exports")
"""Recordings waiting to be stored, notes of sessions, the demo's memory and its exports."""
PIECE_BYTES = 1024 * 1024


class FileReader:
    """Reads before the snapshot of the database is taken. A recording is a file until its row is committed: if the file
    is gone before it is read, the row is in the snapshot; if both are there, the name shows it when the file is stored
    again."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self.count = 0

    def rows(self) -> Iterator[Row]:
        for path in _files(self._home):
            for row in _pieces(self._home, path):
                self.count += row[1] == 0
                yield row


def _files(home: Path) -> Iterator[Path]:
    yield from (home / name for name in KEYS)
    for folder in FOLDERS:
        for place, _, names in os.walk(home / folder):
            yield from (Path(place, name) for name in sorted(names) if _is_kept(folder, name))


def _is_kept(folder: str, name: str) -> bool:
    return name.endswith(SUFFIX) if folder == CAPTURES else not name.startswith(TEMPORARY)


def _pieces(home: Path, path: Path) -> Iterator[Row]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        if path.is_symlink() or not path.exists():
            return
        raise
    with os.fdopen(descriptor, "rb") as file:
        state = os.fstat(file.fileno())
        if not stat.S_ISREG(state.st_mode):
            return
        name, number = encode_path(path.relative_to(home)), 0
        while (data := file.read(PIECE_BYTES)) or not number:
            yield name, number, state.st_mtime_ns, data
            number += 1


class FileWriter:
    """Writes pieces into files below a folder. The names are not trusted: anybody may have made the backup."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.count = 0

    def write(self, row: tuple[object, ...]) -> None:
        name, number, mtime_ns, data = row
        if not (isinstance(name, str) and isinstance(number, int) and isinstance(mtime_ns, int)):
            raise BackupError("The backup holds a file without a name. Nothing was changed.")
        if not isinstance(data, bytes):
            raise BackupError(f"The backup holds no bytes for the file {name!r}. Nothing was changed.")
        path = self._folder / _safe_path(name)
        # The first piece makes the file, so that none is written twice; the folder is ours alone.
        flags = os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC | (os.O_APPEND if number else os.O_CREAT | os.O_EXCL)
        try:
            for folder in reversed(path.relative_to(self._folder).parents[:-1]):
                (self._folder / folder).mkdir(mode=0o700, exist_ok=True)
            descriptor = os.open(path, flags, 0o600)
        except (FileExistsError, FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
            raise BackupError(f"The backup holds the file {name!r} in a muddle. Nothing was changed.") from error
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            os.utime(file.fileno(), ns=(mtime_ns, mtime_ns))
        self.count += not number


def _safe_path(name: str) -> Path:
    path = PurePosixPath(name)
    is_safe = str(path) == name and not path.is_absolute() and "\0" not in name and ".." not in path.parts
    is_known = name in KEYS or (len(path.parts) > 1 and path.parts[0] in FOLDERS)
    if not (is_safe and is_known):
        raise BackupError(f"The backup holds a file that no home has ({name[:200]!r}). Nothing was changed.")
    return decode_path(name)
