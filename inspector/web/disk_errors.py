"""Recognises errors because the disk is full or broken, and words them."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator
from pathlib import Path

FULL = "The disk is full. Make room; nothing that was stored is lost, and Lucid goes on by itself."
BROKEN = (
    "The disk could not be read or written. Nothing that was stored is lost; see whether the disk is sound and may be "
    "written, then try again."
)
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
NO_DISK = (errno.EIO, errno.EROFS)
SQLITE_BROKEN = ("SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_CANTOPEN")
"""Prefixes of SQLite's error names for trouble with its files."""
LEAST_ROOM = 64 * 1024
"""Bytes. SQLite needs half of it to open a database, and otherwise reports a disk error."""
POSTGRESQL_FULL, POSTGRESQL_BROKEN = "53100", "58030"


def is_full(error: BaseException | None) -> bool:
    return any(_is_full(cause) for cause in _causes(error))


def has_no_room(folder: Path) -> bool:
    return folder.is_dir() and shutil.disk_usage(folder).free < LEAST_ROOM


def disk_trouble(error: BaseException | None) -> str | None:
    """A sentence for the person, or None if the disk is not the cause."""
    causes = list(_causes(error))
    if any(map(_is_full, causes)):
        return FULL
    return BROKEN if any(map(_is_broken, causes)) else None


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error and its causes."""
    checked: set[int] = set()
    while error is not None and id(error) not in checked:
        checked.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _is_full(error: BaseException) -> bool:
    """SQLite says it in words, the system with an error number."""
    if isinstance(error, OSError):
        return error.errno in NO_ROOM
    if getattr(error, "sqlite_errorname", "") == "SQLITE_FULL" or "database or disk is full" in str(error):
        return True
    return getattr(error, "sqlstate", None) == POSTGRESQL_FULL


def _is_broken(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in NO_DISK
    name = str(getattr(error, "sqlite_errorname", None) or "")
    return name.startswith(SQLITE_BROKEN) or getattr(error, "sqlstate", None) == POSTGRESQL_BROKEN
