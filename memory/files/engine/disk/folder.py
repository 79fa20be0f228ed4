"""A directory of a user's files, held open. Names are resolved from there step by step and no link is followed, so that
nothing outside can be reached, even if directories are swapped meanwhile."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from memory.files.engine.disk.errors import (
    DirectoryGoneError,
    NotAFileError,
    OutsideError,
    TooLargeError,
    translate_errors,
)
from sessions.text.engine.invisible_characters import has_invisible, spell_invisible
from sessions.transcripts.engine.paths import decode_path

LARGEST = 64 * 1024 * 1024
TEMPORARY = ".lucid-"
"""Prefix of our own temporary files."""
_TRIES = 5
_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class FileStatus(NamedTuple):
    """What tells, without reading it, whether a file has changed."""

    size: int
    mtime_ns: int
    ctime_ns: int
    device: int
    inode: int
    mode: int

    @classmethod
    def from_stat(cls, stat_result: os.stat_result) -> FileStatus:
        return cls(
            stat_result.st_size,
            stat_result.st_mtime_ns,
            stat_result.st_ctime_ns,
            _to_signed(stat_result.st_dev),
            _to_signed(stat_result.st_ino),
            stat.S_IMODE(stat_result.st_mode),
        )


@dataclass(frozen=True, slots=True)
class FileContent:
    data: bytes
    status: FileStatus

    @property
    def digest(self) -> str:
        return digest_of(self.data)


def digest_of(data: bytes) -> str:
    return sha256(data).hexdigest()


def split_name(name: str) -> list[str]:
    """The parts of a name inside a directory. Raises OutsideError for any other name."""
    parts = name.split("/")
    if "\0" in name or "\\" in name or "" in parts:
        raise OutsideError(f"{name!r} is no name inside the directory.")
    if any(part.startswith(".") for part in parts):
        raise OutsideError(f"{name!r}: names that begin with a dot are no memory, and `..` leads out.")
    return parts


def check_new_name(name: str) -> None:
    """Raises OutsideError for a name that cannot be read as it is written. Existing files with such a name can still be
    changed, renamed and deleted."""
    if readable_name(name) != name:
        raise OutsideError(
            f"“{spell_invisible(name)}” holds line breaks, or characters that nobody sees or that turn text around. "
            "Names of memory files must not."
        )


def readable_name(name: str) -> str:
    """The name with each forbidden character replaced by a hyphen."""
    return "".join("-" if char in "\n\r\t" or has_invisible(char) else char for char in name)


def disk_name(name: str) -> str:
    """Turns a name from the database into the name on disk. Raises OutsideError for an invalid name."""
    return "/".join(str(decode_path(part)) for part in split_name(name))


class Folder:
    """A context manager. `path` is absolute and has no links; see `real_path`."""

    def __init__(self, path: str | Path, *, make: bool = False) -> None:
        self.path = str(path)
        self._make = make
        self._fd = -1

    def __enter__(self) -> Self:
        with translate_errors(self.path):
            if self._make:
                os.makedirs(self.path, exist_ok=True)
            # Starting at the root, so that nobody can put a link in between.
            self._fd = _descend(os.open("/", os.O_PATH | _FOLDER), Path(self.path).parts[1:])
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        os.close(self._fd)

    @contextmanager
    def open_parent(self, name: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """Opens the directory that holds a file; yields its descriptor and the file's name in it."""
        *folders, leaf = split_name(name)
        with translate_errors(name):
            fd = _descend(os.dup(self._fd), folders, make=make)
        try:
            yield fd, leaf
        finally:
            os.close(fd)

    def read(self, name: str) -> FileContent | None:
        """The file, or None. Retries while another program is writing it."""
        return self._read_with(name, read_at)

    def read_beginning(self, name: str, most: int) -> FileContent | None:
        """The first `most` bytes of a file of any size, or None."""
        return self._read_with(name, partial(read_beginning_at, most=most))

    def _read_with(self, name: str, look: Callable[[int, str, str], FileContent | None]) -> FileContent | None:
        try:
            with self.open_parent(name) as (fd, leaf), translate_errors(name):
                content = look(fd, leaf, name)
        except DirectoryGoneError:
            content = None  # one of the directories on the way to it
        if content is None and not self.exists():
            raise DirectoryGoneError(f"{self.path} is gone: it was deleted or moved.")
        return content

    def exists(self) -> bool:
        """Is the directory still at its path?"""
        with suppress(OSError):
            current, opened = os.stat(self.path, follow_symlinks=False), os.fstat(self._fd)
            return (current.st_dev, current.st_ino) == (opened.st_dev, opened.st_ino)
        return False

    def files(self) -> Iterator[tuple[str, FileStatus | OSError]]:
        """Every regular file below, with its status. Hidden files and links are skipped."""
        for name, status in self.stats():
            yield name, status if isinstance(status, OSError) else FileStatus.from_stat(status)

    def temporaries(self) -> list[Path]:
        """Our own temporary files below."""
        return [
            Path(folder, name)
            for folder, _, names in os.walk(self.path)
            for name in names
            if name.startswith(TEMPORARY)
        ]

    def stats(self) -> Iterator[tuple[str, os.stat_result | OSError]]:
        """Like `files`, with the system's own results: cheaper for thousands of files."""
        return _walk(os.dup(self._fd), "")


def real_path(path: str | Path) -> str:
    return os.path.realpath(os.path.expanduser(path))


def read_at(fd: int, leaf: str, name: str) -> FileContent | None:
    for _ in range(_TRIES):
        try:
            file = os.open(leaf, _FILE, dir_fd=fd)
        except FileNotFoundError:
            return None
        with os.fdopen(file, "rb") as stream:
            before = os.fstat(file)
            if not stat.S_ISREG(before.st_mode):
                raise NotAFileError(f"{name} is no file.")
            if before.st_size > LARGEST:
                raise TooLargeError(f"{name} has {before.st_size:,} bytes; {LARGEST:,} are the most that is kept.")
            data = stream.read(LARGEST + 1)
            after = os.fstat(file)
        if (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns) and len(data) == after.st_size:
            break
    return FileContent(data, FileStatus.from_stat(after))


def read_beginning_at(fd: int, leaf: str, name: str, most: int) -> FileContent | None:
    try:
        file = os.open(leaf, _FILE, dir_fd=fd)
    except FileNotFoundError:
        return None
    with os.fdopen(file, "rb") as stream:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise NotAFileError(f"{name} is no file.")
        return FileContent(stream.read(most), FileStatus.from_stat(status))


def _descend(fd: int, folders: list[str] | tuple[str, ...], *, make: bool = False) -> int:
    """Opens the last of the directories for reading, and closes `fd`."""
    try:
        for folder in folders:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(folder, dir_fd=fd)
            deeper = os.open(folder, os.O_PATH | _FOLDER, dir_fd=fd)
            os.close(fd)
            fd = deeper
        return os.open(".", os.O_RDONLY | _FOLDER, dir_fd=fd)
    finally:
        os.close(fd)


def _walk(fd: int, prefix: str) -> Iterator[tuple[str, os.stat_result | OSError]]:
    try:
        with os.scandir(fd) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
        for entry in entries:
            if entry.name.startswith("."):
                continue
            name = f"{prefix}{entry.name}"
            try:
                if entry.is_file(follow_symlinks=False):
                    yield name, entry.stat(follow_symlinks=False)
                elif entry.is_dir(follow_symlinks=False):
                    yield from _walk(os.open(entry.name, os.O_RDONLY | _FOLDER, dir_fd=fd), f"{name}/")
            except OSError as error:
                if error.errno != errno.ENOENT:
                    yield name, error
    finally:
        os.close(fd)


def _to_signed(number: int) -> int:
    """An unsigned 64-bit number as a signed one: database columns are signed."""
    return number - (1 << 64) if number >= 1 << 63 else number
