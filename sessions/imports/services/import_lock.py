"""Who may import what, and when. A database file takes one writer, so there is one import at a time. On a server each
host may run one: they read and write side by side, and take turns at work that concerns everybody's files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from django.db import connection

from inspector.locks.database_lock import database_lock, lock_is_free
from inspector.locks.hosts import this_host

ALL = "import"
"""The lock of what concerns the files of all hosts, and the only one on SQLite."""


def lock_of(host: str) -> str:
    """Whoever holds it may read the files that are stored for this host."""
    return f"{ALL}:{host}"


class ImportLock:
    """The lock of a database file: nobody else imports."""

    def guard(self) -> None:
        """Call this in a transaction before it writes rows of files that this import reads. Raises LockLostError if
        somebody else may have them by now."""

    def guard_all(self) -> None:
        """Call this in a transaction of `alone` before it writes rows of any file: no other host writes until it
        ends."""

    @contextmanager
    def alone(self, waiting: Callable[[], None] | None = None) -> Iterator[None]:
        """Wraps work that looks at the files of all hosts. The others finish what they have begun to read."""
        yield

    @contextmanager
    def instead_of(self, host: str) -> Iterator[bool]:
        """Wraps work on files of another host, for which nobody else imports meanwhile. False if somebody already
        does."""
        yield True

    def busy_hosts(self) -> Collection[str]:
        """The others that import at this moment. In `alone`, none is added."""
        return ()


@contextmanager
def import_lock(waiting: Callable[[], None] | None = None) -> Iterator[ImportLock]:
    """One import at a time for each host, whether the watcher, the command line or a button asks for it. `waiting` is
    called now and then while another one runs."""
    if connection.vendor == "postgresql":
        from sessions.imports.services.server_import_lock import (
            server_import_lock,  # its driver is not loaded for SQLite
        )

        with server_import_lock(this_host(), waiting) as lock:
            yield lock
    else:
        with database_lock(ALL, on_wait=waiting):
            yield ImportLock()


def import_is_free() -> bool:
    """Whether an import of this host could start at once."""
    return lock_is_free(ALL) and (connection.vendor == "sqlite" or lock_is_free(lock_of(this_host())))
