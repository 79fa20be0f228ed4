"""Shows that this process works on runs, for as long as it does; inspector.runs.selectors.presence looks."""

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
from inspector.runs.selectors.presence import (
    BEAT_SECONDS,
    COMMAND,
    boot_seconds,
    folder,
    is_free,
)
from inspector.runs.services.under_way import under_way
from inspector.structured import get_logger

FORGET_MS = 3_600_000
"""A row that nobody has renewed for so long is that of a host which never came back."""

logger = get_logger(__name__)
_lock = threading.Lock()
_own: tuple[str, IO[bytes]] | None = None
_role = COMMAND
_started_at = 0
_end = threading.Event()


def own_name() -> str:
    """The name of this process, made when it is first asked for."""
    global _own, _end
    with _lock:
        if _own is None:
            _own, _end = _enter(), threading.Event()
            threading.Thread(target=_keep_beating, args=(_end,), name="presence", daemon=True).start()
            atexit.register(leave)
        return _own[0]


def presence_begin(*, role: str) -> str:
    """From now on, others see this process as a worker or a watcher, also while it has nothing to do."""
    global _role
    _role = role
    name = own_name()
    _write_file()
    return name


def leave() -> None:
    """The process ends as it should."""
    global _own
    with _lock:
        if _own is None:
            return
        (name, file), _own = _own, None
    _end.set()
    (folder() / name).unlink(missing_ok=True)
    file.close()
    with suppress(DatabaseError):
        if connection.vendor == "postgresql":
            Worker.objects.filter(name=name).delete()


def absent() -> Iterator[str]:
    """The processes of this home that are gone. What is said of one is remembered until the caller goes on to the
    next."""
    for path in sorted(folder().iterdir()) if folder().is_dir() else ():
        if not _is_own(path) and is_free(path):
            yield path.name
            path.unlink(missing_ok=True)
            if connection.vendor == "postgresql":
                Worker.objects.filter(name=path.name).delete()


def anybody_gone() -> bool:
    return any(not _is_own(path) and is_free(path) for path in (folder().iterdir() if folder().is_dir() else ()))


def beat() -> None:
    """One sign of life: of the process, and of each run that it works on."""
    _write_file()
    if connection.vendor == "postgresql" and _own is not None:
        _write_row(_own[0])


def _keep_beating(end: threading.Event) -> None:
    try:
        while True:
            try:
                beat()
            except (DatabaseError, OSError) as error:
                logger.info("presence_missed", error=str(error))
                connection.close()
            if end.wait(BEAT_SECONDS):
                return
    finally:
        connection.close()


def _write_file() -> None:
    told = {"role": _role, "at": boot_seconds(), "runs": sorted(running.run_id for running in under_way())}
    data = json.dumps(told).encode()
    with _lock:
        if _own is None:
            return
        number = _own[1].fileno()
        os.pwrite(number, data, 0)
        os.ftruncate(number, len(data))


def _write_row(name: str) -> None:
    """Runs without a pulse of their own, such as an import that forks, keep their lease by this."""
    global _started_at
    now = database_ms()
    _started_at = _started_at or now
    told = {"host": this_host(), "pid": os.getpid(), "role": _role, "started_at": _started_at, "seen_at": now}
    Worker.objects.update_or_create(name=name, defaults=told)
    runs = [running.run_id for running in under_way() if running.worker == name]
    if runs:
        Run.objects.filter(pk__in=runs, status=Run.Status.RUNNING, worker=name).update(heartbeat_at=now)


def _enter() -> tuple[str, IO[bytes]]:
    folder().mkdir(parents=True, exist_ok=True)
    while True:
        name = f"{os.getpid()}-{secrets.token_hex(8)}"
        file = open(folder() / name, "xb", opener=_private)  # noqa: SIM115 - it stays open on purpose
        with suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Between the two, somebody may have taken it for the file of a process that is gone.
            if os.fstat(file.fileno()).st_nlink:
                return name, file
        file.close()


def _is_own(path: Path) -> bool:
    return _own is not None and path.name == _own[0]


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _leave_to_parent() -> None:
    """A forked child must not keep the lock of its parent alive."""
    global _own, _lock
    _lock = threading.Lock()
    if _own is not None:
        _own[1].close()
        _own = None


os.register_at_fork(after_in_child=_leave_to_parent)
