"""Searches files that are unchanged since they were archived. One buffer serves all files, because allocating one for
each of thousands is slow."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from sessions.search.engine.needles import Needle
from sessions.transcripts.engine.paths import decode_path

PIECE = 512 * 1024
"""Small enough to fit into the processor's cache."""


@dataclass(frozen=True, slots=True)
class ArchivedFile:
    source_id: int
    path: str
    size: int
    """Archived bytes."""
    mtime_ns: int


class FileScanner:
    def __init__(self, needle: Needle) -> None:
        self._needle = needle
        # The end of a piece is searched again with the next one, because a match may lie across both.
        self._overlap = needle.overlap
        self._buffer = memoryview(bytearray(self._overlap + PIECE))
        self._rest = self._buffer[self._overlap :]

    def find_offsets(self, source_file: ArchivedFile) -> list[int] | None:
        """None if the file changed since it was archived."""
        with _open_unchanged(source_file) as file:
            return None if file is None else self._search(file, source_file.size)

    def _search(self, file: int, size: int) -> list[int] | None:
        offsets: set[int] = set()
        position, overlap = 0, 0
        while position < size:
            count = _read_into(file, self._rest)
            if not count:
                return None  # the file was truncated, or cannot be read
            start = self._overlap - overlap
            filled = self._buffer[start : self._overlap + count]
            offsets.update(position - overlap + offset for offset in self._needle.find(filled))
            position += count
            overlap = min(self._overlap, len(filled))
            if position < size:
                self._buffer[self._overlap - overlap : self._overlap] = bytes(filled[-overlap:])
        return sorted(offsets)


def _read_into(file: int, buffer: memoryview) -> int:
    try:
        return os.readv(file, [buffer])
    except OSError:
        return 0


def read_unchanged(source_file: ArchivedFile, ranges: Sequence[tuple[int, int]]) -> list[bytes] | None:
    """The bytes of (offset, length) ranges; None if the file changed since it was archived."""
    with _open_unchanged(source_file) as file:
        if file is None:
            return None
        try:
            contents = [os.pread(file, length, offset) for offset, length in ranges]
        except OSError:
            return None
        return (
            contents if all(len(data) == length for data, (_, length) in zip(contents, ranges, strict=True)) else None
        )


@contextmanager
def _open_unchanged(source_file: ArchivedFile) -> Iterator[int | None]:
    try:
        file = os.open(decode_path(source_file.path), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        yield None
        return
    try:
        status = os.fstat(file)
        yield file if status.st_size == source_file.size and status.st_mtime_ns == source_file.mtime_ns else None
    finally:
        os.close(file)


def group_files(source_files: Sequence[ArchivedFile], first_size: int, max_size: int) -> list[range]:
    """Splits the files into groups by bytes. The first groups are small, so that the first hits come early."""
    groups, start, filled, group_size = [], 0, 0, first_size
    for index, source_file in enumerate(source_files):
        filled += source_file.size
        if filled >= group_size:
            groups.append(range(start, index + 1))
            start, filled, group_size = index + 1, 0, min(max_size, 2 * group_size)
    if start < len(source_files):
        groups.append(range(start, len(source_files)))
    return groups
