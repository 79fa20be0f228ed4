"""Where recordings wait to be stored: one file each, readable by its owner alone, whole or not there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path

from sessions.capture.engine import Exchange

ENDING, DRAFT = ".capture", ".part"
ABANDONED_SECONDS = 3600.0
_NO_FOLDER = (FileNotFoundError, NotADirectoryError)
"""Nothing was recorded yet, or something is in the way; then writing says so."""
FULL = 2 * 1024 * 1024 * 1024
"""Bytes that may wait: if nobody stores them, more would only fill the disk."""


class SpoolFullError(OSError):
    """So much waits that something must be wrong with storing it."""


@dataclass(frozen=True, slots=True)
class Waiting:
    files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Spool:
    folder: Path
    full: int = FULL

    @property
    def aside(self) -> Path:
        """Files that could not be read."""
        return self.folder / "unreadable"

    def write(self, exchange: Exchange) -> None:
        """Raises OSError."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self.waiting().bytes > self.full:
            raise SpoolFullError(f"More than {self.full} bytes wait in {self.folder}")
        draft = self.folder / f"{exchange.name}{DRAFT}"
        try:
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(exchange.to_bytes())
                file.flush()
                os.fsync(file.fileno())
            draft.rename(draft.with_suffix(ENDING))
        except OSError:
            with suppress(OSError):  # the first trouble is the one to tell of; what is left is swept
                draft.unlink(missing_ok=True)
            raise

    def files(self) -> list[Path]:
        """The oldest first: names begin with the time."""
        try:
            return sorted(path for path in self.folder.iterdir() if path.suffix == ENDING)
        except _NO_FOLDER:
            return []

    def waiting(self) -> Waiting:
        return _sizes(self.folder)

    def unreadable(self) -> Waiting:
        return _sizes(self.aside)

    def set_aside(self, path: Path) -> None:
        self.aside.mkdir(mode=0o700, exist_ok=True)
        path.rename(self.aside / path.name)

    def sweep(self, now: float) -> None:
        """Drafts of a process that is gone."""
        for draft in self.folder.glob(f"*{DRAFT}"):
            if now - draft.stat().st_mtime > ABANDONED_SECONDS:
                draft.unlink(missing_ok=True)

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Whether nobody else is storing from here; then nobody else begins."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(self.folder / ".lock", "w") as lock:
            try:
                flock(lock, LOCK_EX | LOCK_NB)
            except BlockingIOError:
                yield False
                return
            yield True


def _sizes(folder: Path) -> Waiting:
    files = size = 0
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(ENDING):
                    files, size = files + 1, size + entry.stat().st_size
    except _NO_FOLDER:
        return Waiting(0, 0)
    return Waiting(files, size)
