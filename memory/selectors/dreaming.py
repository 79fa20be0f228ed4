"""What stands in the way of a dream, and what it would read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memory.engine.disk import real_path
from memory.engine.dreaming.gates import Gate, enabled_gate, lock_gate, scan_gate, sessions_gate, time_gate
from memory.engine.dreaming.lock import Lock, lock_read
from memory.models import Directory, DreamScan
from sessions.engine.paths import opened


class LockUnreadableError(OSError):
    """The lock is there, but cannot be read: nobody can tell whether somebody dreams."""


@dataclass(frozen=True, slots=True)
class Recent:
    """A transcript that went on since memory was last consolidated."""

    path: Path
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Ground:
    """A memory directory as somebody who would dream over it finds it."""

    directory: Directory
    lock: Lock
    sessions: tuple[Recent, ...]
    """Those since the last time, the latest first."""
    gates: tuple[Gate, ...]
    files: int
    bytes: int


def directory_path(directory: Directory) -> Path:
    return Path(real_path(opened(directory.path)))


def lock_of(directory: Directory) -> Lock:
    try:
        return lock_read(directory_path(directory))
    except OSError as error:
        raise LockUnreadableError(f"The lock cannot be read ({error.strerror or error}).") from error


def sessions_since(directory: Directory, lock: Lock) -> tuple[Recent, ...]:
    """The transcripts beside the memory directory: those of the project's sessions, not of their sub-agents."""
    since = lock.consolidated_ns or 0
    return tuple(sorted(_recent(directory_path(directory).parent, since), key=lambda one: -one.mtime_ns))


def ground_of(directory: Directory, *, enabled: bool, now_ms: int) -> Ground:
    """Everything about it, whether or not a cheaper gate is shut."""
    lock = lock_of(directory)
    sessions = sessions_since(directory, lock)
    scanned = DreamScan.objects.filter(directory=directory).values_list("at", flat=True).first()
    gates = (
        enabled_gate(enabled=enabled),
        time_gate(lock=lock, now_ms=now_ms),
        scan_gate(scanned_ms=scanned, now_ms=now_ms),
        sessions_gate(sessions=len(sessions), lock=lock),
        lock_gate(lock=lock, now_ms=now_ms),
    )
    sizes = list(_sizes(directory_path(directory)))
    return Ground(directory, lock, sessions, gates, len(sizes), sum(sizes))


def _recent(folder: Path, since_ns: int) -> Iterator[Recent]:
    try:
        with os.scandir(folder) as listing:
            entries = [entry for entry in listing if entry.name.endswith(".jsonl")]
    except OSError:
        return
    for entry in entries:
        try:
            found = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            continue
        if entry.is_file(follow_symlinks=False) and found.st_mtime_ns > since_ns:
            yield Recent(Path(entry.path), found.st_size, found.st_mtime_ns)


def _sizes(folder: Path) -> Iterator[int]:
    for path, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if not name.startswith("."):
                try:
                    yield os.lstat(os.path.join(path, name)).st_size
                except FileNotFoundError:
                    continue
