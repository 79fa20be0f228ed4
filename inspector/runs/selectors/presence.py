"""Which processes work on runs, and whether they are still alive.

Each process holds a lock on a file of its own in the home; the system releases it however the process ends. The process
also writes to that file every few seconds, because an import may hold the database for minutes. Other hosts cannot see
the lock: where hosts share a PostgreSQL, each process has a row there as well."""

from __future__ import annotations

import fcntl
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection

from inspector.locks.database_clock import database_ms
from inspector.runs.models import Run, Worker

BEAT_SECONDS = 3.0
SILENT_SECONDS = 15.0
"""A process that has been silent for longer hangs, or its machine does."""
WORKER, WATCHER, COMMAND = "worker", "watcher", "command"


@dataclass(frozen=True, slots=True)
class RunProcess:
    """A process that works on runs."""

    name: str
    host: str
    """Empty for a process of this home."""
    pid: int
    role: str
    silent_seconds: float
    """Since its last sign of life."""

    @property
    def is_responding(self) -> bool:
        return self.silent_seconds < SILENT_SECONDS


def list_processes(role: str = "") -> list[RunProcess]:
    """The processes that have not ended, as far as can be told; those of this home first."""
    own_processes = [_read_process(path) for path in _presence_files() if not is_unlocked(path)]
    processes = [process for process in own_processes if process is not None]
    if connection.vendor == "postgresql":
        own_names, now = {process.name for process in processes}, database_ms()
        rows = Worker.objects.order_by("host", "name")
        processes += [
            RunProcess(row.name, row.host, row.pid, row.role, max(0, now - row.seen_at) / 1000)
            for row in rows
            if row.name not in own_names and not (presence_folder() / row.name).exists()
        ]
    return [process for process in processes if not role or process.role == role]


def has_ended(name: str) -> bool:
    """Whether the process belonged to this home and has ended. False where that cannot be told from here."""
    path = presence_folder() / name
    return bool(name) and path.exists() and is_unlocked(path)


def lease_of(run: Run) -> tuple[object, ...]:
    """A value that changes every few seconds while a process works on the run. The file of that process counts too,
    because it is written even while the database is locked."""
    try:
        content = (presence_folder() / run.worker).read_bytes() if run.worker else b""
    except OSError:
        content = b""
    status = _parse_status(content)
    return run.heartbeat_at, content if status is None or run.pk in status.get("runs", ()) else None


def has_responding_worker(run: Run) -> bool:
    """Whether the process that works on the run responds, however old the run's own heartbeat is."""
    return any(process.name == run.worker and process.is_responding for process in list_processes())


def presence_folder() -> Path:
    return Path(settings.LUCID_HOME) / "workers"


def boot_seconds() -> float:
    """Seconds since this machine was started: the same for all its processes, and nobody can set it."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def is_unlocked(path: Path) -> bool:
    """Whether no process holds the lock on the file."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return True
    except (BlockingIOError, FileNotFoundError):
        return False


def _presence_files() -> Iterator[Path]:
    """Their names begin with the process id."""
    paths = presence_folder().iterdir() if presence_folder().is_dir() else ()
    yield from sorted(path for path in paths if path.name.partition("-")[0].isdecimal())


def _read_process(path: Path) -> RunProcess | None:
    try:
        status = _parse_status(path.read_bytes()) or {}
    except FileNotFoundError:
        return None
    last_sign = status.get("at")
    silent_seconds = max(0.0, boot_seconds() - last_sign) if isinstance(last_sign, int | float) else 0.0
    return RunProcess(path.name, "", int(path.name.partition("-")[0]), str(status.get("role", COMMAND)), silent_seconds)


def _parse_status(content: bytes) -> dict[str, Any] | None:
    """None if the file is being written at this moment."""
    try:
        status = json.loads(content or b"{}")
    except ValueError:
        return None
    return status if isinstance(status, dict) else {}
