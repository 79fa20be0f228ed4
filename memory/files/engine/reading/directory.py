"""A memory directory on disk. Links are not followed, pipes are not opened, and everything is bounded. Whatever cannot
be read is listed as a file with a problem."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from memory.files.engine.reading.file import INDEX_NAME, FileKind, MemoryFile, parse_file
from memory.files.engine.reading.index import EMPTY_INDEX_FILE, Index, read_index
from memory.files.engine.reading.problem import Problem
from memory.files.engine.reading.regular_files import NotRegularError, open_regular
from sessions.text.engine.error_reason import reason_of
from sessions.transcripts.engine.paths import encode_path

LARGEST = 32 * 1024 * 1024
"""Bytes to read from one file."""
MOST_BYTES = 128 * 1024 * 1024
"""Bytes to read from one directory."""
MOST_FILES = 20_000
DEEPEST = 8


@dataclass(frozen=True)
class MemoryDirectory:
    path: str
    files: tuple[MemoryFile, ...]
    """By name."""
    problems: tuple[Problem, ...] = ()
    """Problems of the directory as a whole."""

    @cached_property
    def by_name(self) -> Mapping[str, MemoryFile]:
        return {file.name: file for file in self.files}

    @cached_property
    def index(self) -> Index:
        """Empty if there is no MEMORY.md."""
        return read_index(self.by_name.get(INDEX_NAME, EMPTY_INDEX_FILE))

    @cached_property
    def topics(self) -> tuple[MemoryFile, ...]:
        return tuple(file for file in self.files if file.kind is FileKind.TOPIC)

    @cached_property
    def logs(self) -> tuple[MemoryFile, ...]:
        return tuple(file for file in self.files if file.kind is FileKind.LOG)


class DirectoryMissingError(ValueError):
    """The directory does not exist."""


def read_directory(path: Path) -> MemoryDirectory:
    """Reads a memory directory. Raises DirectoryMissingError if there is none; anything else becomes a problem."""
    if not path.is_dir():
        reason = "is no directory" if path.exists() else "does not exist"
        raise DirectoryMissingError(f"{path} {reason}.")
    walk = _Walk(path)
    files = tuple(sorted(walk.files(), key=lambda file: file.name))
    return MemoryDirectory(encode_path(path), files, tuple(walk.problems))


def directory_from_contents(path: str, contents: Mapping[str, bytes], *, mtime_ns: int = 0) -> MemoryDirectory:
    """A directory that is not on disk, such as a proposal or an earlier state."""
    files = (parse_file(name, data, mtime_ns=mtime_ns) for name, data in sorted(contents.items()))
    return MemoryDirectory(path, tuple(files))


@dataclass(slots=True)
class _Walk:
    root: Path
    problems: list[Problem] = field(default_factory=list)
    read: int = 0

    def files(self) -> Iterator[MemoryFile]:
        for count, (entry, name) in enumerate(self._entries()):
            if count == MOST_FILES:
                self.problems.append(
                    Problem("too-many-files", f"There are more than {MOST_FILES:,} files; the rest was not looked at.")
                )
                return
            yield self._read_entry(entry, name)

    def _entries(self) -> Iterator[tuple[os.DirEntry[str], str]]:
        stack = [(str(self.root), "", 0)]
        while stack:
            folder, prefix, depth = stack.pop()
            try:
                with os.scandir(folder) as listing:
                    entries = sorted(listing, key=lambda entry: entry.name)
            except OSError as error:
                self.problems.append(
                    Problem("unreadable", f"{prefix or 'The directory'} cannot be read ({reason_of(error)}).")
                )
                continue
            for entry in entries:
                name = encode_path(prefix + entry.name)
                if entry.name.startswith("."):
                    continue
                if not entry.is_dir(follow_symlinks=False):
                    yield entry, name
                elif depth < DEEPEST:
                    stack.append((entry.path, f"{prefix}{entry.name}/", depth + 1))
                else:
                    self.problems.append(Problem("too-deep", f"{name} is nested too deeply and was not looked at."))

    def _read_entry(self, entry: os.DirEntry[str], name: str) -> MemoryFile:
        try:
            if entry.is_symlink():
                return _unread_file(
                    name, "symlink", f"The file is a link{self._outside_note(entry.path)}; links are not followed."
                )
            return self._read_regular(entry.path, name)
        except NotRegularError:
            return _unread_file(name, "not-a-file", "This is no regular file; it was not opened.")
        except OSError as error:
            return _unread_file(name, "unreadable", f"The file cannot be read ({reason_of(error)}).")

    def _outside_note(self, path: str) -> str:
        real = os.path.realpath(path)
        inside = real.startswith(os.path.realpath(self.root) + os.sep)
        return "" if inside else " that leads out of the directory"

    def _read_regular(self, path: str, name: str) -> MemoryFile:
        with open_regular(path, follow=False) as file:
            status = os.fstat(file.fileno())
            data = file.read(min(status.st_size, LARGEST, MOST_BYTES - self.read))
            size = os.fstat(file.fileno()).st_size
        self.read += len(data)
        problems = () if len(data) == size else (_truncation_problem(size, len(data)),)
        return parse_file(name, data, mtime_ns=status.st_mtime_ns, size=size, problems=problems)


def _truncation_problem(size: int, read: int) -> Problem:
    return Problem("too-large", f"The file has {size:,} bytes; only the first {read:,} were read.")


def _unread_file(name: str, rule: str, why: str) -> MemoryFile:
    return parse_file(name, b"", problems=(Problem(rule, why),))
