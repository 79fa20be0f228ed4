"""A directory of a person's files, held open. Every name is looked up from there step by step and no link is followed,
so that nothing outside can be reached, whatever is swapped in meanwhile."""

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
from sessions.text.engine.invisible_characters import is_any_unseen, visible
from sessions.transcripts.engine.paths import opened

LARGEST = 64 * 1024 * 1024
TEMPORARY = ".lucid-"
"""How the names of our own files begin, which are there for a moment."""
_TRIES = 5
_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class FileStatus(NamedTuple):
    """What tells without reading whether a file is still the same."""

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
    """The steps of a name inside a directory; an OutsideError for what is none."""
    parts = name.split("/")
    if "\0" in name or "\\" in name or "" in parts:
        raise OutsideError(f"{name!r} is no name inside the directory.")
    if any(part.startswith(".") for part in parts):
        raise OutsideError(f"{name!r}: names that begin with a dot are no memory, and `..` leads out.")
    return parts


def check_new_name(name: str) -> None:
    """An OutsideError for a name that no file should get: one that nobody can read as it is. Files that have one
    already can be changed, renamed and deleted all the same."""
    if readable_name(name) != name:
        raise OutsideError(
            f"“{visible(name)}” holds line breaks, or characters that nobody sees or that turn text around. "
            "Names of memory files must not."
        )


def readable_name(name: str) -> str:
    """The name with a hyphen in place of each character that it must not hold."""
    return "".join("-" if char in "\n\r\t" or is_any_unseen(char) else char for char in name)


def disk_name(name: str) -> str:
    """A name as rows hold it, as the system has it; an OutsideError for what is none."""
    return "/".join(str(opened(part)) for part in split_name(name))


class Folder:
    """Open it with `with`. `path` is absolute and without links; see `real_path`."""

    def __init__(self, path: str | Path, *, make: bool = False) -> None:
        self.path = str(path)
        self._make = make
        self._fd = -1

    def __enter__(self) -> Self:
        with translate_errors(self.path):
            if self._make:
                os.makedirs(self.path, exist_ok=True)
            # From the root on: nobody can put a link in between.
            self._fd = _descend(os.open("/", os.O_PATH | _FOLDER), Path(self.path).parts[1:])
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        os.close(self._fd)

    @contextmanager
    def open_parent(self, name: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """The open directory of a file, and its name there."""
        *folders, leaf = split_name(name)
        with translate_errors(name):
            fd = _descend(os.dup(self._fd), folders, make=make)
        try:
            yield fd, leaf
        finally:
            os.close(fd)

    def read(self, name: str) -> FileContent | None:
        """The file as it is, or None. Read again while somebody is writing it."""
        return self._read_with(name, read_at)

    def read_beginning(self, name: str, most: int) -> FileContent | None:
        """At most so many bytes of its beginning, whatever its size, or None."""
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
        """Is it still where it was?"""
        with suppress(OSError):
            current, opened = os.stat(self.path, follow_symlinks=False), os.fstat(self._fd)
            return (current.st_dev, current.st_ino) == (opened.st_dev, opened.st_ino)
        return False

    def files(self) -> Iterator[tuple[str, FileStatus | OSError]]:
        """Every regular file below, with what tells its change; hidden ones and links are left alone."""
        for name, status in self.stats():
            yield name, status if isinstance(status, OSError) else FileStatus.from_stat(status)

    def temporaries(self) -> list[Path]:
        """Files of ours that were to be there for a moment."""
        return [
            Path(folder, name)
            for folder, _, names in os.walk(self.path)
            for name in names
            if name.startswith(TEMPORARY)
        ]

    def stats(self) -> Iterator[tuple[str, os.stat_result | OSError]]:
        """The same as the system tells it, for who lists thousands."""
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
    """The last of the directories, opened for reading; `fd` is closed."""
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
    """Numbers of 64 bits, as columns hold them."""
    return number - (1 << 64) if number >= 1 << 63 else number
