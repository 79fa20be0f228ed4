"""Small files that must be complete or absent, even after a crash or on a full disk: they are written under another
name, synced to disk, and renamed in one step."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

DRAFT = ".draft"
DAY_SECONDS = 24 * 3600
LEFT_SECONDS = 3600
"""What has not got its name by then was left by a process that was killed."""


def replace_durably(path: Path, data: bytes, *, mode: int = 0o600, mtime_ns: int | None = None) -> None:
    """Replaces the content of a file; readers see all of the old or all of the new. If this raises OSError, the file is
    unchanged."""
    _write_aside(path, data, mode, lambda draft: os.replace(draft, path), mtime_ns)


def create_durably(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Creates a file. Raises FileExistsError if there is one; of two processes that try at once, one succeeds."""
    _write_aside(path, data, mode, lambda draft: os.link(draft, path), None)


def drafts_sweep(folder: Path, now: float) -> None:
    """Removes drafts of processes that were killed."""
    for draft in folder.glob(f".*{DRAFT}"):
        with suppress(FileNotFoundError):
            if now - draft.stat().st_mtime > LEFT_SECONDS:
                draft.unlink()


def folders_sweep(folder: Path, now: float) -> None:
    """Removes working folders whose processes were killed. No work takes a day."""
    for path in folder.glob("*"):
        with suppress(FileNotFoundError):
            if now - path.stat().st_mtime > DAY_SECONDS:
                shutil.rmtree(path, ignore_errors=True)


def _write_aside(path: Path, data: bytes, mode: int, name: Callable[[Path], None], mtime_ns: int | None) -> None:
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}{DRAFT}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(data)
            file.flush()
            if mtime_ns is not None:
                os.utime(file.fileno(), ns=(mtime_ns, mtime_ns))
            os.fsync(file.fileno())
        name(draft)
        sync_folder(path.parent)
    finally:
        with suppress(OSError):  # gone if it was renamed; a draft that cannot be removed is swept later
            draft.unlink()


def sync_folder(folder: Path) -> None:
    """Syncs the names in a folder to disk. Until then, a crash may lose a new file or bring back an old one."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
