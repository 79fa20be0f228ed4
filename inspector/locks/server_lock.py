"""A lock on PostgreSQL, held by a transaction on a connection of its own: closing or pooling other connections does not
release it, a pooler between us and the server cannot take it away, and the server frees it when the process or its
machine dies. If that connection is lost, the lock is lost without notice, so long work checks it before it writes."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager, suppress
from hashlib import blake2b
from typing import Any

import psycopg
from django.db import OperationalError, connection

from inspector.locks.database_lock import TRY_SECONDS, Lock, LockLostError

SILENT_SECONDS = 10
PROBES = 3
"""How long and how often a machine that has vanished is probed before its lock is free."""

_GRANTED = (
    "FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)

Holder = psycopg.Connection[Any]


class ServerLock(Lock):
    """Held as long as its connection lasts."""

    def __init__(self, name: str, holder: Holder) -> None:
        self._name = name
        self._holder = holder
        self._shared = False

    @property
    def holder(self) -> int:
        """The server process that holds it, by which others can see that we still do."""
        return self._holder.info.backend_pid

    def share(self) -> None:
        """From now on others may write too, with `join`."""
        self._shared = True

    def guard(self) -> None:
        # Comes first: the next holder of the lock waits for this one too, and so for our transaction.
        if self._shared:
            join(self._name)
        else:
            keep_out(self._name)
        try:
            self._holder.execute("SELECT 1")
        except psycopg.Error as error:
            raise self._lost() from error

    @contextmanager
    def second_lock(self, name: str, on_wait: Callable[[], None] | None) -> Iterator[ServerLock]:
        """Another lock on the same connection, so that both are lost together."""
        other = ServerLock(name, self._holder)
        try:
            try:
                self._holder.execute("SAVEPOINT beside")
                _wait(other, on_wait)
            except psycopg.Error as error:
                raise self._lost() from error
            yield other
        finally:
            # A lost connection has released it already, and the next `guard` notices.
            with suppress(psycopg.Error):
                self._back_to("beside")

    def take(self) -> bool:
        return self._try("held")

    def has_outlasted_writers(self) -> bool:
        """Whether all transactions of a holder that was cut off have ended."""
        self._holder.execute("SAVEPOINT taken")
        free = self._try("writing")
        # Not kept: our own transactions take it on another connection.
        self._back_to("taken")
        return free

    def _back_to(self, savepoint: str) -> None:
        """Releases what was locked since."""
        self._holder.execute(f"ROLLBACK TO SAVEPOINT {savepoint}")
        self._holder.execute(f"RELEASE SAVEPOINT {savepoint}")

    def _lost(self) -> LockLostError:
        subject = self._name.partition(":")[0]
        return LockLostError(
            f"The database dropped the connection that kept others from the {subject}: it was stopped."
        )

    def _try(self, part: str) -> bool:
        row = self._holder.execute("SELECT pg_try_advisory_xact_lock(%s)", [_key(self._name, part)]).fetchone()
        return row == (True,)


def join(name: str) -> None:
    """Call this in a transaction before it writes beside the holder: the next holder waits for our commit too."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock_shared(%s)", [_key(name, "writing")])


def keep_out(name: str) -> None:
    """Call this in a transaction: nobody else writes under this name until it ends. Waits for those who do."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_key(name, "writing")])


def count_joined(name: str) -> int:
    """How many transactions write beside the holder at this moment."""
    return _count_granted(name, "writing", "mode = 'ShareLock'")


def is_held_by(name: str, holder: int) -> bool:
    return _count_granted(name, "held", "pid = %s", holder) > 0


def names_in_use(names: Collection[str]) -> set[str]:
    """The names whose lock is held at this moment, or whose last holder is still writing."""
    if not names:
        return set()
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT classid::bigint, objid::bigint {_GRANTED}")
        locks = set(cursor.fetchall())
    return {name for name in names if not locks.isdisjoint(_halves(_key(name, part)) for part in ("held", "writing"))}


def _count_granted(name: str, part: str, condition: str, *values: int) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT count(*) {_GRANTED} AND classid = %s::bigint::oid AND objid = %s::bigint::oid AND {condition}",
            [*_halves(_key(name, part)), *values],
        )
        return int(cursor.fetchone()[0])


@contextmanager
def server_lock(name: str, on_wait: Callable[[], None] | None) -> Iterator[ServerLock]:
    with closing(_connect()) as holder:
        lock = ServerLock(name, holder)
        try:
            _wait(lock, on_wait)
        except psycopg.Error as error:
            raise OperationalError(str(error)) from error
        yield lock


def _wait(lock: ServerLock, on_wait: Callable[[], None] | None) -> None:
    # Inside a transaction of our own we cannot wait for writers: it may be one of them.
    for ready in (lock.take,) if connection.in_atomic_block else (lock.take, lock.has_outlasted_writers):
        while not ready():
            if on_wait is not None:
                on_wait()
            time.sleep(TRY_SECONDS)


def _connect() -> Holder:
    """A connection in a transaction, which the server closes only if its client stays silent."""
    reach = {"keepalives_idle": SILENT_SECONDS, "keepalives_interval": SILENT_SECONDS, "keepalives_count": PROBES}
    patience = {"tcp_user_timeout": (1 + PROBES) * SILENT_SECONDS * 1000}
    try:
        holder: Holder = psycopg.connect(**{**reach, **patience, **connection.get_connection_params()})
        holder.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        for name, value in (("idle", SILENT_SECONDS), ("interval", SILENT_SECONDS), ("count", PROBES)):
            holder.execute("SELECT set_config(%s, %s, TRUE)", [f"tcp_keepalives_{name}", str(value)])
    except psycopg.Error as error:
        raise OperationalError(str(error)) from error
    return holder


def _halves(key: int) -> tuple[int, int]:
    """The two halves of a key, as pg_locks shows it."""
    return key >> 32 & 0xFFFFFFFF, key & 0xFFFFFFFF


def _key(name: str, part: str) -> int:
    """The number of the lock in PostgreSQL. Each database on a server has its own locks."""
    return int.from_bytes(blake2b(f"lucid {name} {part}".encode(), digest_size=8).digest(), signed=True)
