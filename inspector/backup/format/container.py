"""A backup is a plain tar file, so that `tar` and `zstd` open it without Lucid. Everything in it besides the contents
follows from their names and sizes and is compared byte by byte: no changed bit goes unnoticed, and foreign links, paths
and modes are impossible."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from inspector.backup.format.errors import BackupError, DamageError

BLOCK = 512
END = bytes(2 * BLOCK)
MOST_BYTES = 160 * 1024 * 1024
"""Per member. What Lucid writes is far smaller, so a larger size is forged."""
NAME = re.compile(r"(files|tables|index)/[a-z0-9_]+/[0-9]{8}\.msgpack\.zst|manifest\.json(\.sha256)?", re.ASCII)
NO_BACKUP = "This file is no backup that Lucid has made."


@dataclass(frozen=True, slots=True)
class Member:
    name: str
    data: bytes
    offset: int
    """Where the data starts in the file."""


def write_member(file: IO[bytes], name: str, data: bytes) -> None:
    file.write(_header(name, len(data)))
    file.write(data)
    file.write(_padding(len(data)))


def read_members(file: IO[bytes]) -> Iterator[Member]:
    """All members, one at a time in memory. Raises BackupError at the first wrong byte."""
    last, offset = "", 0
    while True:
        header = file.read(BLOCK)
        if header == END[:BLOCK]:
            if file.read(BLOCK + 1) != END[BLOCK:]:
                raise DamageError("its end", "is cut off, or more follows")
            return
        name, size = _parse(header, last)
        data, padding = file.read(size), _padding(size)
        if len(data) < size or file.read(len(padding)) != padding:
            raise DamageError(name, "is cut off, or not followed by what should follow")
        yield Member(name, data, offset + BLOCK)
        last, offset = name, offset + BLOCK + size + len(padding)


def _parse(header: bytes, last: str) -> tuple[str, int]:
    part = f"what follows {last}" if last else "its beginning"
    try:
        info = tarfile.TarInfo.frombuf(header, "ascii", "strict")
        is_valid = NAME.fullmatch(info.name) is not None and 0 <= info.size <= MOST_BYTES
        if is_valid and header == _header(info.name, info.size):
            return info.name, info.size
    except (tarfile.HeaderError, ValueError) as error:
        if not last:
            raise BackupError(NO_BACKUP) from error
        raise DamageError(part, "is cut off" if len(header) < BLOCK else "cannot be read") from error
    if not last:
        raise BackupError(NO_BACKUP)
    raise DamageError(part, "is nothing that a backup holds")


def _header(name: str, size: int) -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, 0o600
    return info.tobuf(tarfile.USTAR_FORMAT, "ascii", "strict")


def _padding(size: int) -> bytes:
    return bytes(-size % BLOCK)
