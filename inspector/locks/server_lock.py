"""A lock on PostgreSQL, held by a transaction on a connection of its own: nothing that closes or pools the others lets
go of it, a pooler between us and the server cannot take it away, and the server frees it when the process or its
machine dies. Whoever loses that connection has lost the lock without being told, so work that takes long asks before it
writes."""

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
"""A machine that vanished without a word is asked for so long, so often, before its lock is free."""

_GRANTED = (
    "FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)

Holder = psycopg.Connection[Any]


class ServerLock(Lock):
    """As long as the connection lasts."""

    def __init__(self, name: str, holder: Holder) -> None:
        self._name = name
        self._holder = holder
        self._shared = False

    @property
    def holder(self) -> int:
        """The server process that holds it, by which others can tell that we still do."""
        return self._holder.info.backend_pid

    def share(self) -> None:
        """From now on others may write beside us, with `join`."""
        self._shared = True

    def guard(self) -> None:
        # Before the question: whoever gets the lock after us waits for this one too, and so for our transaction.
        if self._shared:
            join(self._name)
        else:
            keep_out(self._name)
        try:
            self._holder.execute("SELECT 1")
        except psycopg.Error as error:
            raise self._lost() from error

    @contextmanager
    def beside(self, name: str, waiting: Callable[[], None] | None) -> Iterator[ServerLock]:
        """Another lock on the same connection: whoever loses one of them has lost both."""
        other = ServerLock(name, self._holder)
        try:
            try:
                self._holder.execute("SAVEPOINT beside")
                _wait(other, waiting)
            except psycopg.Error as error:
                raise self._lost() from error
            yield other
        finally:
            # A connection that is gone has let go of it, and the next guard says so.
            with suppress(psycopg.Error):
                self._back_to("beside")

    def take(self) -> bool:
        return self._try("held")

    def outlasted(self) -> bool:
        """Whether nothing is being committed any more by a holder that was cut off."""
        self._holder.execute("SAVEPOINT taken")
        free = self._try("writing")
        # It is not to be held: our own transactions take it, on another connection.
        self._back_to("taken")
        return free

    def _back_to(self, savepoint: str) -> None:
        """Lets go of what was locked since."""
        self._holder.execute(f"ROLLBACK TO SAVEPOINT {savepoint}")
        self._holder.execute(f"RELEASE SAVEPOINT {savepoint}")

    def _lost(self) -> LockLostError:
        what = self._name.partition(":")[0]
        return LockLostError(f"The database dropped the connection that kept others from the {what}: it was stopped.")

    def _try(self, part: str) -> bool:
        row = self._holder.execute("SELECT pg_try_advisory_xact_lock(%s)", [_key(self._name, part)]).fetchone()
        return row == (True,)


def join(name: str) -> None:
    """In a transaction, before it writes beside the holder: whoever gets the lock next waits for our commit too."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock_shared(%s)", [_key(name, "writing")])


def keep_out(name: str) -> None:
    """In a transaction: nobody else writes under this name until it is over. Waits for those who do."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_key(name, "writing")])


def joined(name: str) -> int:
    """How many transactions write beside the holder at this moment."""
    return _granted(name, "writing", "mode = 'ShareLock'")


def is_held_by(name: str, holder: int) -> bool:
    return _granted(name, "held", "pid = %s", holder) > 0


def held_or_written(names: Collection[str]) -> set[str]:
    """Those that somebody holds at this moment, or that somebody who held them still writes for."""
    if not names:
        return set()
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT classid::bigint, objid::bigint {_GRANTED}")
        taken = set(cursor.fetchall())
    return {name for name in names if not taken.isdisjoint(_halves(_key(name, part)) for part in ("held", "writing"))}


def _granted(name: str, part: str, condition: str, *values: int) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT count(*) {_GRANTED} AND classid = %s::bigint::oid AND objid = %s::bigint::oid AND {condition}",
            [*_halves(_key(name, part)), *values],
        )
        return int(cursor.fetchone()[0])


@contextmanager
def server_lock(name: str, waiting: Callable[[], None] | None) -> Iterator[ServerLock]:
    with closing(_connected()) as holder:
        lock = ServerLock(name, holder)
        try:
            _wait(lock, waiting)
        except psycopg.Error as error:
            raise OperationalError(str(error)) from error
        yield lock


def _wait(lock: ServerLock, waiting: Callable[[], None] | None) -> None:
    # Inside a transaction of our own nobody can be outlasted: it may be the one that writes.
    for ready in (lock.take,) if connection.in_atomic_block else (lock.take, lock.outlasted):
        while not ready():
            if waiting is not None:
                waiting()
            time.sleep(TRY_SECONDS)


def _connected() -> Holder:
    """A connection in a transaction, given up by the server when its client stays silent, and only then."""
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
    """As pg_locks shows it."""
    return key >> 32 & 0xFFFFFFFF, key & 0xFFFFFFFF


def _key(name: str, part: str) -> int:
    """The number that PostgreSQL knows it by. Locks of other databases on the same server are others."""
    return int.from_bytes(blake2b(f"lucid {name} {part}".encode(), digest_size=8).digest(), signed=True)
