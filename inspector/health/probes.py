"""Probes what pages need, for `/health/`: a write to the database, the queue, a worker that answers, room on the disk.

Each has a bound in time, and what they say holds for a moment, so that asking every second costs next to nothing."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection, transaction

from inspector.locks.database_clock import database_ms
from inspector.locks.database_lock import lock_is_free
from inspector.runs.models import Moment
from inspector.runs.selectors.presence import WORKER, RunProcess, list_processes
from inspector.runs.services.busy_timeout import short_busy_timeout
from inspector.web.database import Trouble, trouble_of
from inspector.web.room import FULL, is_full
from sessions.text.engine.words import size

MOMENT_SECONDS = 2.0
WRITE_MS = 1500
ANSWER_SECONDS = 3.0
IMPORT_SECONDS = 10.0
"""So long an import may write nothing and still be at work."""
REDIS_SECONDS = 1.0
LEAST_FREE = 50_000_000
STARTING_SECONDS = 60.0
"""A worker takes a while to come up, and longer on a machine that does much else."""

Probe = Callable[[], str]
"""What is wrong, in a sentence; nothing if all is well."""


@dataclass(frozen=True, slots=True)
class Found:
    database: str = ""
    """What is wrong with it; empty if nothing."""
    workers: list[RunProcess] = field(default_factory=list)
    others: list[str] = field(default_factory=list)

    @property
    def reasons(self) -> list[str]:
        return [*([self.database] if self.database else []), *self.others]


class Probing:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: tuple[float, Found] | None = None
        self._hanging: set[str] = set()
        self._since = time.monotonic()

    def found(self, *, worker_wanted: bool) -> Found:
        with self._lock:
            if self._found is None or time.monotonic() - self._found[0] > MOMENT_SECONDS:
                found = self._probe(worker_wanted=worker_wanted)
                self._found = time.monotonic(), found
            return self._found[1]

    def _probe(self, *, worker_wanted: bool) -> Found:
        if settings.REDIS_URL:
            import redis  # noqa: F401 - to load it may take longer than Redis may take to answer
        others = [self._bounded("the queue", _queue), _room()]
        workers: list[RunProcess] = []

        def ask_database() -> str:
            nonlocal workers
            sentence = _write()
            workers = list_processes(WORKER) if not sentence or connection.vendor == "sqlite" else []
            return sentence

        # A file answers or refuses in time; a server may also hang, or be cut off without a word.
        database = ask_database() if connection.vendor == "sqlite" else self._bounded("the database", ask_database)
        if worker_wanted and (connection.vendor == "sqlite" or not database):
            others.append(self._worker(workers))
        return Found(database, workers, [sentence for sentence in others if sentence])

    def _worker(self, workers: list[RunProcess]) -> str:
        if any(worker.is_responding for worker in workers):
            return ""
        if workers:
            silent = min(worker.silent_seconds for worker in workers)
            return f"no worker answers: the last sign of one was {int(silent)} seconds ago"
        if time.monotonic() - self._since < STARTING_SECONDS:
            return ""
        return "there is no worker: what is started in the background waits"

    def _bounded(self, what: str, probe: Probe) -> str:
        """The probe in a thread of its own. While one hangs, no second is begun."""
        late = f"{what} does not answer within {ANSWER_SECONDS:.0f} seconds"
        if what in self._hanging:
            return late
        said: list[str] = []

        def work() -> None:
            try:
                said.append(probe())
            except Exception as error:  # whatever it is, it is what is wrong
                said.append(f"{what} cannot be probed: {type(error).__name__}: {_brief(error)}")
            finally:
                connection.close()
                self._hanging.discard(what)

        self._hanging.add(what)
        thread = threading.Thread(target=work, name=f"probe of {what}", daemon=True)
        thread.start()
        thread.join(ANSWER_SECONDS)
        return said[0] if said else late


def _write() -> str:
    """The same small row each time, so that nothing grows."""
    try:
        with short_busy_timeout(WRITE_MS), transaction.atomic():
            if connection.vendor == "postgresql":
                with connection.cursor() as cursor:
                    cursor.execute(f"SET LOCAL statement_timeout = {WRITE_MS}")
            Moment.objects.update_or_create(name="health", defaults={"at": database_ms()})
    except DatabaseError as error:
        if is_full(error):
            return FULL
        held = trouble_of(error)
        if held is Trouble.HELD and _import_writes():
            return ""
        why = f"{held.name.lower()}, {_brief(error)}" if held is not None else _brief(error)
        return f"the database cannot be written to: {why}"
    return ""


def _import_writes() -> bool:
    """Whether it is our own import that keeps us waiting, and gets on: what it writes goes to the journal. One that is
    stuck, and another program that holds the database, leave that as it is."""
    if connection.vendor != "sqlite" or lock_is_free("import"):
        return False
    try:
        written = os.stat(f"{connection.settings_dict['NAME']}-wal").st_mtime
    except OSError:
        return False
    return time.time() - written < IMPORT_SECONDS


def _queue() -> str:
    try:
        _ping_redis() if settings.REDIS_URL else _write_file(Path(settings.CELERY_QUEUE_DIR) / "messages")
    except OSError as error:
        if is_full(error):
            return FULL
        return f"the queue cannot be used: {_brief(error)}"
    return ""


def _ping_redis() -> None:
    from redis import Redis
    from redis.backoff import NoBackoff
    from redis.exceptions import RedisError
    from redis.retry import Retry

    once = Retry(NoBackoff(), 0)
    try:
        with Redis.from_url(
            settings.REDIS_URL, socket_connect_timeout=REDIS_SECONDS, socket_timeout=REDIS_SECONDS, retry=once
        ) as server:
            server.ping()
    except RedisError as error:
        raise OSError(_brief(error)) from error


def _write_file(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    probe = folder / f".probe-{os.getpid()}"
    try:
        with probe.open("wb", buffering=0) as file:
            file.write(b"well\n")
    finally:
        probe.unlink(missing_ok=True)


def _room() -> str:
    try:
        free = shutil.disk_usage(settings.LUCID_HOME).free
    except OSError as error:
        return f"the home cannot be looked at: {_brief(error)}"
    return f"only {size(free)} are free on the disk of the home" if free < LEAST_FREE else ""


def _brief(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
