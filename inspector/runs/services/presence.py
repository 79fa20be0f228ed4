"""Shows other processes that this one works on runs; inspector.runs.selectors.presence is how they see it."""

from __future__ import annotations

import atexit
import fcntl
import json
import os
import secrets
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from django.db import Error as DatabaseError
from django.db import connection

from inspector.locks.database_clock import database_ms
from inspector.locks.hosts import this_host
from inspector.runs.models import Run, Worker
from inspector.runs.selectors.presence import BEAT_SECONDS, COMMAND, boot_seconds, is_unlocked, presence_folder
from inspector.runs.services.local_runs import local_runs
from inspector.structured import get_logger

FORGET_MS = 3_600_000
"""A row that was not renewed for so long belongs to a host that never came back."""

logger = get_logger(__name__)
_lock = threading.Lock()
_own: tuple[str, IO[bytes]] | None = None
_role = COMMAND
_started_at = 0
_end = threading.Event()


def process_name() -> str:
    """The name of this process, which is chosen on first use."""
    global _own, _end
    with _lock:
        if _own is None:
            _own, _end = _create_presence_file(), threading.Event()
            threading.Thread(target=_keep_beating, args=(_end,), name="presence", daemon=True).start()
            atexit.register(presence_end)
        return _own[0]


def presence_begin(*, role: str) -> str:
    """From now on, other processes see this one as a worker or a watcher, even while it is idle."""
    global _role
    _role = role
    name = process_name()
    _write_file()
    return name


def presence_end() -> None:
    """The process ends normally."""
    global _own
    with _lock:
        if _own is None:
            return
        (name, file), _own = _own, None
    _end.set()
    (presence_folder() / name).unlink(missing_ok=True)
    file.close()
    with suppress(DatabaseError):
        if connection.vendor == "postgresql":
            Worker.objects.filter(name=name).delete()


def sweep_ended_processes() -> Iterator[str]:
    """Yields the processes of this home that have ended. The traces of each are removed when the caller asks for the
    next, so that nothing is missed if it fails in between."""
    for path in sorted(presence_folder().iterdir()) if presence_folder().is_dir() else ():
        if not _is_own(path) and is_unlocked(path):
            yield path.name
            path.unlink(missing_ok=True)
            if connection.vendor == "postgresql":
                Worker.objects.filter(name=path.name).delete()


def has_ended_processes() -> bool:
    return any(
        not _is_own(path) and is_unlocked(path)
        for path in (presence_folder().iterdir() if presence_folder().is_dir() else ())
    )


def write_heartbeat() -> None:
    """A sign of life of the process and of each run that it works on."""
    _write_file()
    if connection.vendor == "postgresql" and _own is not None:
        _write_row(_own[0])


def _keep_beating(end: threading.Event) -> None:
    try:
        while True:
            try:
                write_heartbeat()
            except (DatabaseError, OSError) as error:
                logger.info("presence_missed", error=str(error))
                connection.close()
            if end.wait(BEAT_SECONDS):
                return
    finally:
        connection.close()


def _write_file() -> None:
    status = {"role": _role, "at": boot_seconds(), "runs": sorted(running.run_id for running in local_runs())}
    data = json.dumps(status).encode()
    with _lock:
        if _own is None:
            return
        number = _own[1].fileno()
        os.pwrite(number, data, 0)
        os.ftruncate(number, len(data))


def _write_row(name: str) -> None:
    """This also renews the lease of runs without a pulse of their own, such as an import that forks."""
    global _started_at
    now = database_ms()
    _started_at = _started_at or now
    fields = {"host": this_host(), "pid": os.getpid(), "role": _role, "started_at": _started_at, "seen_at": now}
    Worker.objects.update_or_create(name=name, defaults=fields)
    runs = [running.run_id for running in local_runs() if running.worker == name]
    if runs:
        Run.objects.filter(pk__in=runs, status=Run.Status.RUNNING, worker=name).update(heartbeat_at=now)


def _create_presence_file() -> tuple[str, IO[bytes]]:
    presence_folder().mkdir(parents=True, exist_ok=True)
    while True:
        name = f"{os.getpid()}-{secrets.token_hex(8)}"
        file = open(presence_folder() / name, "xb", opener=_open_private)  # noqa: SIM115 - it stays open on purpose
        with suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Before it was locked, another process may have removed it as the file of an ended one.
            if os.fstat(file.fileno()).st_nlink:
                return name, file
        file.close()


def _is_own(path: Path) -> bool:
    return _own is not None and path.name == _own[0]


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _forget_parent() -> None:
    """A forked child must not keep its parent's lock."""
    global _own, _lock
    _lock = threading.Lock()
    if _own is not None:
        _own[1].close()
        _own = None


os.register_at_fork(after_in_child=_forget_parent)
