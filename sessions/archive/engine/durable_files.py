"""Small files that must be whole or not there, also after a crash or on a full disk: they are written aside, put on the
disk, and given their name in one step."""

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
    """The file holds this from now on; whoever reads it sees all of the old or all of the new. Raises OSError: then it
    is as it was."""
    _write_aside(path, data, mode, lambda draft: os.replace(draft, path), mtime_ns)


def create_durably(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """A new file. FileExistsError if there is one: of two processes that make it at once, one does."""
    _write_aside(path, data, mode, lambda draft: os.link(draft, path), None)


def drafts_sweep(folder: Path, now: float) -> None:
    """Drafts of processes that were killed."""
    for draft in folder.glob(f".*{DRAFT}"):
        with suppress(FileNotFoundError):
            if now - draft.stat().st_mtime > LEFT_SECONDS:
                draft.unlink()


def folders_sweep(folder: Path, now: float) -> None:
    """Folders below it that somebody worked in and did not live to remove. No work takes a day."""
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
        with suppress(OSError):  # nothing if it has its name now; what cannot be removed is swept later
            draft.unlink()


def sync_folder(folder: Path) -> None:
    """Puts names on the disk: until then, a crash may take a new file away or bring an old one back."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
