"""The lock of a memory directory, `.consolidate-lock`, which is shared with other programs that dream over it.

It contains the id of the process that dreams, and its modification time is when memory was last consolidated. To take
it, we write our process id into it and read it again. Success leaves the time of the taking, failure restores the
earlier one. A lock is taken over once it is an hour old and its process is dead; a younger one may belong to a process
in another container, which only looks dead."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sessions.archive.engine.durable_files import DRAFT, replace_durably

NAME = ".consolidate-lock"
STALE_NS = 60 * 60 * 1_000_000_000
SETTLING_SECONDS = 0.05
"""Between writing and reading again: somebody who saw the lock free just before us has written by then."""
_LONGEST = 32
_FLAGS = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


class LockState(StrEnum):
    FREE = "free"
    HELD = "held"
    STALE = "stale"
    """An hour old, and its process is dead: whoever comes takes it over."""


@dataclass(frozen=True, slots=True)
class DreamLock:
    """The file as it is."""

    pid: int | None
    """Who dreams, or did and was cut off; None if nobody."""
    consolidated_ns: int | None
    """When memory was last consolidated; None if there is no file. Of a lock that is held: when it was taken."""
    is_alive: bool = False

    def state(self, now_ns: int) -> LockState:
        if self.pid is None or self.consolidated_ns is None:
            return LockState.FREE
        if self.is_alive or now_ns - self.consolidated_ns < STALE_NS:
            return LockState.HELD
        return LockState.STALE


@dataclass(frozen=True, slots=True)
class HeldLock:
    """A lock that we hold until it is completed or rolled back."""

    directory: Path
    pid: int
    before_ns: int | None
    """The time that the lock had; None if there was none."""

    def complete(self, now_ns: int) -> None:
        """Releases the lock; memory was consolidated now."""
        with _exclusive(self.directory):
            if _read(self.directory).pid == self.pid:
                _write(self.directory, b"", now_ns)

    def roll_back(self) -> None:
        """Releases the lock and restores the earlier time. A lock that another process took over is left alone."""
        with _exclusive(self.directory):
            _restore(self)

    def is_held(self) -> bool:
        try:
            return _read(self.directory).pid == self.pid
        except OSError:
            return True


def lock_read(directory: Path) -> DreamLock:
    """Raises OSError for a lock that cannot be read, or is a link."""
    return _read(directory)


def lock_take(directory: Path, *, now_ns: int, pid: int | None = None) -> HeldLock | None:
    """None if somebody else has it. Raises OSError if the directory cannot be written to."""
    own_pid = os.getpid() if pid is None else pid
    with _exclusive(directory):
        lock = _read(directory)
        if lock.state(now_ns) is LockState.HELD:
            return None
        held = HeldLock(directory, own_pid, lock.consolidated_ns)
        try:
            _write(directory, str(own_pid).encode(), now_ns)
        except OSError:
            # It may have been renamed before the disk failed.
            with suppress(OSError):
                _restore(held)
            raise
        time.sleep(SETTLING_SECONDS)
        return held if _read(directory).pid == own_pid else None


@contextmanager
def _exclusive(directory: Path) -> Iterator[None]:
    """Lucid's own processes cannot read between our reading and our writing. Other programs can, so the lock is read
    again after writing."""
    fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        for draft in directory.glob(f".{NAME}.*{DRAFT}"):  # whose process was killed, or it would hold this
            draft.unlink(missing_ok=True)
        yield
    finally:
        os.close(fd)


def _restore(held: HeldLock) -> None:
    if _read(held.directory).pid != held.pid:
        return
    if held.before_ns is None:
        (held.directory / NAME).unlink(missing_ok=True)
    else:
        _write(held.directory, b"", held.before_ns)


def _read(directory: Path) -> DreamLock:
    try:
        fd = os.open(directory / NAME, os.O_RDONLY | _FLAGS)
    except FileNotFoundError:
        return DreamLock(None, None)
    try:
        body, when = os.read(fd, _LONGEST), os.fstat(fd).st_mtime_ns
    finally:
        os.close(fd)
    text = body.decode("ascii", "replace").strip()
    pid = int(text) if text.isascii() and text.isdigit() and 0 < int(text) < 1 << 31 else None
    return DreamLock(pid, when, pid is not None and is_alive(pid))


def _write(directory: Path, body: bytes, when_ns: int) -> None:
    """Writes body and time in one step: a failure in between must not forget when memory was last consolidated."""
    replace_durably(directory / NAME, body, mode=0o644, mtime_ns=when_ns)


def is_alive(pid: int) -> bool:
    """A process that has ended but was not waited for yet (a zombie) counts as dead."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[:1] != ["Z"]
