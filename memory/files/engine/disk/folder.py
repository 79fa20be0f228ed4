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

from memory.files.engine.disk.trouble import (
    DirectoryGoneError,
    NotAFileError,
    OutsideError,
    TooLargeError,
    told,
)
from sessions.text.engine.invisible_characters import has_invisible, spell_invisible
from sessions.transcripts.engine.paths import decode_path

LARGEST = 64 * 1024 * 1024
TEMPORARY = ".lucid-"
"""How the names of our own files begin, which are there for a moment."""
_TRIES = 5
_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Status(NamedTuple):
    """What tells without reading whether a file is still the same."""

    size: int
    mtime_ns: int
    ctime_ns: int
    device: int
    inode: int
    mode: int

    @classmethod
    def of(cls, found: os.stat_result) -> Status:
        return cls(
            found.st_size,
            found.st_mtime_ns,
            found.st_ctime_ns,
            _signed(found.st_dev),
            _signed(found.st_ino),
            stat.S_IMODE(found.st_mode),
        )


@dataclass(frozen=True, slots=True)
class Found:
    data: bytes
    status: Status

    @property
    def digest(self) -> str:
        return digest_of(self.data)


def digest_of(data: bytes) -> str:
    return sha256(data).hexdigest()


def parts_of(name: str) -> list[str]:
    """The steps of a name inside a directory; an OutsideError for what is none."""
    parts = name.split("/")
    if "\0" in name or "\\" in name or "" in parts:
        raise OutsideError(f"{name!r} is no name inside the directory.")
    if any(part.startswith(".") for part in parts):
        raise OutsideError(f"{name!r}: names that begin with a dot are no memory, and `..` leads out.")
    return parts


def name_check(name: str) -> None:
    """An OutsideError for a name that no file should get: one that nobody can read as it is. Files that have one
    already can be changed, renamed and deleted all the same."""
    if readable_name(name) != name:
        raise OutsideError(
            f"“{spell_invisible(name)}” holds line breaks, or characters that nobody sees or that turn text around. "
            "Names of memory files must not."
        )


def readable_name(name: str) -> str:
    """The name with a hyphen in place of each character that it must not hold."""
    return "".join("-" if char in "\n\r\t" or has_invisible(char) else char for char in name)


def file_name(name: str) -> str:
    """A name as rows hold it, as the system has it; an OutsideError for what is none."""
    return "/".join(str(decode_path(part)) for part in parts_of(name))


class Folder:
    """Open it with `with`. `path` is absolute and without links; see `real_path`."""

    def __init__(self, path: str | Path, *, make: bool = False) -> None:
        self.path = str(path)
        self._make = make
        self._fd = -1

    def __enter__(self) -> Self:
        with told(self.path):
            if self._make:
                os.makedirs(self.path, exist_ok=True)
            # From the root on: nobody can put a link in between.
            self._fd = _descend(os.open("/", os.O_PATH | _FOLDER), Path(self.path).parts[1:])
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        os.close(self._fd)

    @contextmanager
    def place(self, name: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """The open directory of a file, and its name there."""
        *folders, leaf = parts_of(name)
        with told(name):
            fd = _descend(os.dup(self._fd), folders, make=make)
        try:
            yield fd, leaf
        finally:
            os.close(fd)

    def read(self, name: str) -> Found | None:
        """The file as it is, or None. Read again while somebody is writing it."""
        return self._look(name, read_at)

    def head(self, name: str, most: int) -> Found | None:
        """At most so many bytes of its beginning, whatever its size, or None."""
        return self._look(name, partial(head_at, most=most))

    def _look(self, name: str, look: Callable[[int, str, str], Found | None]) -> Found | None:
        try:
            with self.place(name) as (fd, leaf), told(name):
                found = look(fd, leaf, name)
        except DirectoryGoneError:
            found = None  # one of the directories on the way to it
        if found is None and not self.exists():
            raise DirectoryGoneError(f"{self.path} is gone: it was deleted or moved.")
        return found

    def exists(self) -> bool:
        """Is it still where it was?"""
        with suppress(OSError):
            there, held = os.stat(self.path, follow_symlinks=False), os.fstat(self._fd)
            return (there.st_dev, there.st_ino) == (held.st_dev, held.st_ino)
        return False

    def files(self) -> Iterator[tuple[str, Status | OSError]]:
        """Every regular file below, with what tells its change; hidden ones and links are left alone."""
        for name, found in self.stats():
            yield name, found if isinstance(found, OSError) else Status.of(found)

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
        return _files(os.dup(self._fd), "")


def real_path(path: str | Path) -> str:
    return os.path.realpath(os.path.expanduser(path))


def read_at(fd: int, leaf: str, name: str) -> Found | None:
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
    return Found(data, Status.of(after))


def head_at(fd: int, leaf: str, name: str, most: int) -> Found | None:
    try:
        file = os.open(leaf, _FILE, dir_fd=fd)
    except FileNotFoundError:
        return None
    with os.fdopen(file, "rb") as stream:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise NotAFileError(f"{name} is no file.")
        return Found(stream.read(most), Status.of(status))


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


def _files(fd: int, prefix: str) -> Iterator[tuple[str, os.stat_result | OSError]]:
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
                    yield from _files(os.open(entry.name, os.O_RDONLY | _FOLDER, dir_fd=fd), f"{name}/")
            except OSError as error:
                if error.errno != errno.ENOENT:
                    yield name, error
    finally:
        os.close(fd)


def _signed(number: int) -> int:
    """Numbers of 64 bits, as columns hold them."""
    return number - (1 << 64) if number >= 1 << 63 else number
