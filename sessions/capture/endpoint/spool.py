"""Files of recordings that wait to be stored, readable by their owner only. A file is written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path

from sessions.capture.engine import Exchange

SUFFIX, DRAFT_SUFFIX = ".capture", ".part"
ABANDONED_SECONDS = 3600.0
_NO_FOLDER = (FileNotFoundError, NotADirectoryError)
"""Nothing was recorded yet, or the folder cannot exist; then writing reports it."""
MAX_WAITING_BYTES = 2 * 1024 * 1024 * 1024
"""The most bytes that may wait, so that the disk does not fill if nothing stores them."""


class SpoolFullError(OSError):
    """More recordings wait than is allowed, so storing them must be failing."""


@dataclass(frozen=True, slots=True)
class FolderSize:
    files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Spool:
    folder: Path
    max_waiting_bytes: int = MAX_WAITING_BYTES

    @property
    def unreadable_folder(self) -> Path:
        """Files that could not be read."""
        return self.folder / "unreadable"

    def write(self, exchange: Exchange) -> None:
        """Raises OSError."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self.waiting().bytes > self.max_waiting_bytes:
            raise SpoolFullError(f"More than {self.max_waiting_bytes} bytes wait in {self.folder}")
        draft = self.folder / f"{exchange.name}{DRAFT_SUFFIX}"
        try:
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(exchange.to_bytes())
                file.flush()
                os.fsync(file.fileno())
            draft.rename(draft.with_suffix(SUFFIX))
        except OSError:
            with suppress(OSError):  # the first error is the one to report; drafts are removed later
                draft.unlink(missing_ok=True)
            raise

    def files(self) -> list[Path]:
        """Oldest first, because names begin with the time."""
        try:
            return sorted(path for path in self.folder.iterdir() if path.suffix == SUFFIX)
        except _NO_FOLDER:
            return []

    def waiting(self) -> FolderSize:
        return _sizes(self.folder)

    def unreadable(self) -> FolderSize:
        return _sizes(self.unreadable_folder)

    def set_aside(self, path: Path) -> None:
        self.unreadable_folder.mkdir(mode=0o700, exist_ok=True)
        path.rename(self.unreadable_folder / path.name)

    def remove_abandoned_drafts(self, now: float) -> None:
        """Removes drafts of processes that ended."""
        for draft in self.folder.glob(f"*{DRAFT_SUFFIX}"):
            if now - draft.stat().st_mtime > ABANDONED_SECONDS:
                draft.unlink(missing_ok=True)

    @contextmanager
    def lock(self) -> Iterator[bool]:
        """Locks the folder for storing. False if another process holds the lock."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(self.folder / ".lock", "w") as lock:
            try:
                flock(lock, LOCK_EX | LOCK_NB)
            except BlockingIOError:
                yield False
                return
            yield True


def _sizes(folder: Path) -> FolderSize:
    files = size = 0
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(SUFFIX):
                    files, size = files + 1, size + entry.stat().st_size
    except _NO_FOLDER:
        return FolderSize(0, 0)
    return FolderSize(files, size)
