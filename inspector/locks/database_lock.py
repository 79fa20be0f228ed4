"""Locks that live where the data is. Two Lucids on one PostgreSQL have two homes, so a file in a home keeps neither
from writing what the other writes; on SQLite the home is where the data is, and a file does."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import OperationalError, connection

TRY_SECONDS = 0.2


class LockLostError(OperationalError):
    """The database dropped the connection that held the lock, so another process may hold it by now."""


class Lock:
    """A lock of this process on a file in its home. The system releases it when the process ends."""

    def guard(self) -> None:
        """Call this in a transaction before it writes. Raises LockLostError if the lock is no longer ours; otherwise
        the transaction is committed before a later holder of the lock reads anything."""


@contextmanager
def database_lock(name: str, *, on_wait: Callable[[], None] | None = None) -> Iterator[Lock]:
    """One holder at a time among all that write to this database. `on_wait` is called now and then while another has
    it, and may raise to give up."""
    if connection.vendor == "postgresql":
        from inspector.locks.server_lock import server_lock  # its driver is not loaded for SQLite

        with server_lock(name, on_wait) as lock:
            yield lock
    else:
        with _file_lock(name, on_wait):
            yield Lock()


def lock_is_free(name: str) -> bool:
    """Whether nobody holds the lock at this moment."""
    try:
        with database_lock(name, on_wait=_give_up):
            return True
    except _TakenError:
        return False


class _TakenError(Exception):
    pass


def _give_up() -> None:
    raise _TakenError


@contextmanager
def _file_lock(name: str, on_wait: Callable[[], None] | None) -> Iterator[None]:
    path = Path(settings.LUCID_HOME) / f"{name}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        while not _try_flock(file, wait=on_wait is None):
            assert on_wait is not None
            on_wait()
            time.sleep(TRY_SECONDS)
        yield


def _try_flock(file: IO[str], *, wait: bool) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
