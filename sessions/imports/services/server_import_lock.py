"""The locks of an import where hosts share a PostgreSQL: its host's own, and for short moments one for all hosts.

A transaction that writes shares a third lock, which a transaction that writes rows of other hosts holds alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from inspector.locks.database_lock import TRY_SECONDS
from inspector.locks.server_lock import ServerLock, join, keep_out, names_in_use, server_lock
from sessions.imports.services.import_lock import ALL, ImportLock, lock_of
from sessions.models import Source

ROWS = f"{ALL} rows"


class ServerImportLock(ImportLock):
    def __init__(self, host: str, lock: ServerLock) -> None:
        self.host = host
        self._locks = [lock]
        """The one of the host, then what is held beside it."""
        self._alone = False

    @property
    def holder(self) -> int:
        return self._locks[0].holder

    def share(self) -> None:
        """Lets workers write for this import from now on."""
        self._locks[0].share()

    def guard(self) -> None:
        for lock in self._locks:
            lock.guard()
        if not self._alone:
            join(ROWS)

    def guard_all(self) -> None:
        assert self._alone
        self.guard()
        keep_out(ROWS)

    @contextmanager
    def alone(self, waiting: Callable[[], None] | None = None) -> Iterator[None]:
        assert not self._alone
        with self._hold_also(ALL, waiting):
            self._alone = True
            try:
                yield
            finally:
                self._alone = False

    @contextmanager
    def instead_of(self, host: str) -> Iterator[bool]:
        if host == self.host:
            yield True
            return
        try:
            with self._hold_also(lock_of(host), _give_up):
                yield True
        except _LockTakenError:
            yield False

    def busy_hosts(self) -> Collection[str]:
        others = Source.objects.exclude(host=self.host).order_by().values_list("host", flat=True).distinct()
        return find_busy(set(others))

    @contextmanager
    def _hold_also(self, name: str, waiting: Callable[[], None] | None) -> Iterator[None]:
        with self._locks[0].second_lock(name, waiting) as other:
            self._locks.append(other)
            try:
                yield
            finally:
                self._locks.remove(other)


class _LockTakenError(Exception):
    pass


def _give_up() -> None:
    raise _LockTakenError


@contextmanager
def server_import_lock(host: str, waiting: Callable[[], None] | None) -> Iterator[ServerImportLock]:
    with server_lock(lock_of(host), waiting) as lock:
        yield ServerImportLock(host, lock)


def join_import(host: str) -> None:
    """Call this in a worker's transaction before it writes for the import of this host."""
    join(lock_of(host))
    join(ROWS)


def find_busy(hosts: Collection[str]) -> set[str]:
    """The hosts that are importing, or whose interrupted import is still being committed."""
    names = {lock_of(host): host for host in hosts}
    return {names[name] for name in names_in_use(names)}


def hosts_wait(hosts: Collection[str], waiting: Callable[[], None]) -> None:
    """Waits until none of them imports."""
    while find_busy(hosts):
        waiting()
        time.sleep(TRY_SECONDS)
