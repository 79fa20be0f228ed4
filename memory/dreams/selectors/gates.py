"""What prevents a dream, and what it would read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from memory.dreams.engine.gates import Gate, enabled_gate, lock_gate, scan_gate, sessions_gate, time_gate
from memory.dreams.engine.lock import DreamLock, lock_read
from memory.files.engine.disk import real_path
from memory.files.engine.locations import locate_memory
from memory.history.engine.mentions import place_of
from memory.models import Directory, DreamScan
from sessions.models import Project
from sessions.transcripts.engine.paths import decode_path

_CONFIG_DEPTH = 2
"""Directories above one of transcripts, up to the configuration directory."""


class LockUnreadableError(OSError):
    """The lock exists but cannot be read, so nobody can tell whether somebody dreams."""


@dataclass(frozen=True, slots=True)
class RecentTranscript:
    """A transcript that has grown since memory was last consolidated."""

    path: Path
    size: int
    mtime_ns: int


RecentTranscripts = tuple[RecentTranscript, ...]


@dataclass(frozen=True, slots=True)
class DreamSituation:
    """What a dream over a memory directory would find."""

    directory: Directory
    lock: DreamLock
    sessions: RecentTranscripts
    """Those since the last time, the latest first."""
    gates: tuple[Gate, ...]
    files: int
    bytes: int


def directory_path(directory: Directory) -> Path:
    return Path(real_path(decode_path(directory.path)))


def read_lock(directory: Directory) -> DreamLock:
    try:
        return lock_read(directory_path(directory))
    except OSError as error:
        raise LockUnreadableError(f"The lock cannot be read ({error.strerror or error}).") from error


def folders_by_memory() -> dict[str, list[Path]]:
    """For each memory directory, the folders with the transcripts of its projects: worktrees share a memory, and
    settings can move the memory of all projects elsewhere. One query."""
    environ: Mapping[str, str] = settings.USER_ENVIRONMENT
    folders: dict[str, list[Path]] = {}
    for cwd, directory in Project.objects.exclude(cwd="").values_list("cwd", "directory"):
        project, folder = decode_path(cwd), decode_path(directory)
        if project.is_absolute() and project.is_dir() and len(folder.parts) > _CONFIG_DEPTH:
            memory = locate_memory(project, config=folder.parents[1], home=Path.home(), environ=environ)
            folders.setdefault(str(real_path(memory.path)), []).append(folder)
    return folders


def sessions_since(
    directory: Directory, lock: DreamLock, folders_of: Mapping[str, list[Path]] | None = None
) -> RecentTranscripts:
    """The transcripts of the sessions that use the memory, without sub-agents, the latest first. `folders_of`: the
    result of `folders_by_memory`, if the caller has it."""
    path = directory_path(directory)
    folders = dict.fromkeys((folders_by_memory() if folders_of is None else folders_of).get(str(path), ()))
    if place_of(directory.path) != directory.path:
        folders[path.parent] = None
    if directory.project is not None:
        folders[decode_path(directory.project.directory)] = None
    since = lock.consolidated_ns or 0
    transcripts = [transcript for folder in folders for transcript in _recent_transcripts(folder, since)]
    return tuple(sorted(transcripts, key=lambda transcript: -transcript.mtime_ns))


def load_situation(
    directory: Directory, *, enabled: bool, now_ms: int, folders_of: Mapping[str, list[Path]] | None = None
) -> DreamSituation:
    """Everything about a directory, even if a cheaper gate is closed."""
    lock = read_lock(directory)
    sessions = sessions_since(directory, lock, folders_of)
    scanned = DreamScan.objects.filter(directory=directory).values_list("at", flat=True).first()
    gates = (
        enabled_gate(enabled=enabled),
        time_gate(lock=lock, now_ms=now_ms),
        scan_gate(scanned_ms=scanned, now_ms=now_ms),
        sessions_gate(sessions=len(sessions), lock=lock),
        lock_gate(lock=lock, now_ms=now_ms),
    )
    sizes = list(_sizes(directory_path(directory)))
    return DreamSituation(directory, lock, sessions, gates, len(sizes), sum(sizes))


def _recent_transcripts(folder: Path, since_ns: int) -> Iterator[RecentTranscript]:
    try:
        with os.scandir(folder) as listing:
            # Older versions of the client store sub-agents beside their sessions.
            entries = [
                entry for entry in listing if entry.name.endswith(".jsonl") and not entry.name.startswith("agent-")
            ]
    except OSError:
        return
    for entry in entries:
        try:
            status = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            continue
        if entry.is_file(follow_symlinks=False) and status.st_mtime_ns > since_ns:
            yield RecentTranscript(Path(entry.path), status.st_size, status.st_mtime_ns)


def _sizes(folder: Path) -> Iterator[int]:
    for path, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if not name.startswith("."):
                try:
                    yield os.lstat(os.path.join(path, name)).st_size
                except FileNotFoundError:
                    continue
