"""Which processes work on runs, and whether they still do.

Each holds a lock on a file of its own in the home, which the system lets go of when the process ends, however it ends.
It writes into that file every few seconds, and so does not depend on a database that an import holds for minutes. The
lock says nothing to other hosts: where they share a PostgreSQL, each process has a row there as well."""

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
"""A process that has not been heard for so long does not answer: it hangs, or its machine does."""
WORKER, WATCHER, COMMAND = "worker", "watcher", "command"


@dataclass(frozen=True, slots=True)
class Present:
    """A process that works on runs."""

    name: str
    host: str
    """Empty if it is of this home."""
    pid: int
    role: str
    silent: float
    """Seconds since it was last heard."""

    @property
    def answers(self) -> bool:
        return self.silent < SILENT_SECONDS


def present(role: str = "") -> list[Present]:
    """The processes that have not ended, as far as anybody knows. Those of this home come first."""
    own = [_of_file(path) for path in _files() if not is_free(path)]
    found = [one for one in own if one is not None]
    if connection.vendor == "postgresql":
        here, now = {one.name for one in found}, database_ms()
        rows = Worker.objects.order_by("host", "name")
        found += [
            Present(row.name, row.host, row.pid, row.role, max(0, now - row.seen_at) / 1000)
            for row in rows
            if row.name not in here and not (folder() / row.name).exists()
        ]
    return [one for one in found if not role or one.role == role]


def is_gone(name: str) -> bool:
    """Whether the process was of this home and has ended. False where nobody here can tell."""
    path = folder() / name
    return bool(name) and path.exists() and is_free(path)


def lease_of(run: Run) -> tuple[object, ...]:
    """Changes every few seconds while somebody works on the run. While the database is held, the file of the process
    still says which runs it works on."""
    try:
        written = (folder() / run.worker).read_bytes() if run.worker else b""
    except OSError:
        written = b""
    told = _told(written)
    return run.heartbeat_at, written if told is None or run.pk in told.get("runs", ()) else None


def is_heard(run: Run) -> bool:
    """Whether the process that works on the run answers, whatever the run itself last said."""
    return any(one.name == run.worker and one.answers for one in present())


def folder() -> Path:
    return Path(settings.LUCID_HOME) / "workers"


def boot_seconds() -> float:
    """Since this machine was started: the same for all its processes, and nobody can set it."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def is_free(path: Path) -> bool:
    """Whether nobody holds the lock on the file."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return True
    except (BlockingIOError, FileNotFoundError):
        return False


def _files() -> Iterator[Path]:
    """Their names begin with the number of the process."""
    found = folder().iterdir() if folder().is_dir() else ()
    yield from sorted(path for path in found if path.name.partition("-")[0].isdecimal())


def _of_file(path: Path) -> Present | None:
    try:
        told = _told(path.read_bytes()) or {}
    except FileNotFoundError:
        return None
    heard = told.get("at")
    silent = max(0.0, boot_seconds() - heard) if isinstance(heard, int | float) else 0.0
    return Present(path.name, "", int(path.name.partition("-")[0]), str(told.get("role", COMMAND)), silent)


def _told(written: bytes) -> dict[str, Any] | None:
    """None if it is being written just now."""
    try:
        told = json.loads(written or b"{}")
    except ValueError:
        return None
    return told if isinstance(told, dict) else {}
