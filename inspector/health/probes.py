"""Probes for `/health/` of what pages need: a write to the database, the queue, a worker that answers, disk space.

Each probe has a time limit, and its result is reused for a moment, so a request every second costs next to nothing."""

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
from inspector.web.database_errors import Trouble, find_trouble
from inspector.web.disk_errors import FULL, is_full
from sessions.text.engine.words import size

MOMENT_SECONDS = 2.0
WRITE_MS = 1500
ANSWER_SECONDS = 3.0
IMPORT_SECONDS = 10.0
"""An import that has written nothing for this long counts as stuck."""
REDIS_SECONDS = 1.0
LEAST_FREE = 50_000_000
STARTING_SECONDS = 60.0
"""A worker takes a while to start, and longer on a busy machine."""

Probe = Callable[[], str]
"""Returns what is wrong in a sentence; empty if nothing is."""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    database: str = ""
    """What is wrong with it; empty if nothing."""
    workers: list[RunProcess] = field(default_factory=list)
    others: list[str] = field(default_factory=list)

    @property
    def reasons(self) -> list[str]:
        return [*([self.database] if self.database else []), *self.others]


class Prober:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._latest: tuple[float, ProbeResult] | None = None
        self._hanging: set[str] = set()
        self._since = time.monotonic()

    def read(self, *, worker_wanted: bool) -> ProbeResult:
        with self._lock:
            if self._latest is None or time.monotonic() - self._latest[0] > MOMENT_SECONDS:
                result = self._probe(worker_wanted=worker_wanted)
                self._latest = time.monotonic(), result
            return self._latest[1]

    def _probe(self, *, worker_wanted: bool) -> ProbeResult:
        if settings.REDIS_URL:
            import redis  # noqa: F401 - to load it may take longer than Redis may take to answer
        others = [self._probe_in_thread("the queue", _probe_queue), _probe_free_space()]
        workers: list[RunProcess] = []

        def ask_database() -> str:
            nonlocal workers
            sentence = _probe_write()
            workers = list_processes(WORKER) if not sentence or connection.vendor == "sqlite" else []
            return sentence

        # A file answers or fails in time; a server may also hang or become unreachable.
        database = (
            ask_database() if connection.vendor == "sqlite" else self._probe_in_thread("the database", ask_database)
        )
        if worker_wanted and (connection.vendor == "sqlite" or not database):
            others.append(self._worker(workers))
        return ProbeResult(database, workers, [sentence for sentence in others if sentence])

    def _worker(self, workers: list[RunProcess]) -> str:
        if any(worker.is_responding for worker in workers):
            return ""
        if workers:
            silent = min(worker.silent_seconds for worker in workers)
            return f"no worker answers: the last sign of one was {int(silent)} seconds ago"
        if time.monotonic() - self._since < STARTING_SECONDS:
            return ""
        return "there is no worker: what is started in the background waits"

    def _probe_in_thread(self, subject: str, probe: Probe) -> str:
        """Runs the probe in a thread of its own. While it hangs, no second one is started."""
        timeout_sentence = f"{subject} does not answer within {ANSWER_SECONDS:.0f} seconds"
        if subject in self._hanging:
            return timeout_sentence
        sentences: list[str] = []

        def work() -> None:
            try:
                sentences.append(probe())
            except Exception as error:  # any error is the result of the probe
                sentences.append(f"{subject} cannot be probed: {type(error).__name__}: {_first_line(error)}")
            finally:
                connection.close()
                self._hanging.discard(subject)

        self._hanging.add(subject)
        thread = threading.Thread(target=work, name=f"probe of {subject}", daemon=True)
        thread.start()
        thread.join(ANSWER_SECONDS)
        return sentences[0] if sentences else timeout_sentence


def _probe_write() -> str:
    """Writes the same small row each time, so the database does not grow."""
    try:
        with short_busy_timeout(WRITE_MS), transaction.atomic():
            if connection.vendor == "postgresql":
                with connection.cursor() as cursor:
                    cursor.execute(f"SET LOCAL statement_timeout = {WRITE_MS}")
            Moment.objects.update_or_create(name="health", defaults={"at": database_ms()})
    except DatabaseError as error:
        if is_full(error):
            return FULL
        trouble = find_trouble(error)
        if trouble is Trouble.HELD and _is_import_writing():
            return ""
        reason = f"{trouble.name.lower()}, {_first_line(error)}" if trouble is not None else _first_line(error)
        return f"the database cannot be written to: {reason}"
    return ""


def _is_import_writing() -> bool:
    """Whether an import of Lucid holds the database and makes progress, which shows in the journal. It does not change
    if the import is stuck, or if another program holds the database."""
    if connection.vendor != "sqlite" or lock_is_free("import"):
        return False
    try:
        written_at = os.stat(f"{connection.settings_dict['NAME']}-wal").st_mtime
    except OSError:
        return False
    return time.time() - written_at < IMPORT_SECONDS


def _probe_queue() -> str:
    try:
        _ping_redis() if settings.REDIS_URL else _write_file(Path(settings.CELERY_QUEUE_DIR) / "messages")
    except OSError as error:
        if is_full(error):
            return FULL
        return f"the queue cannot be used: {_first_line(error)}"
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
        raise OSError(_first_line(error)) from error


def _write_file(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    probe = folder / f".probe-{os.getpid()}"
    try:
        with probe.open("wb", buffering=0) as file:
            file.write(b"well\n")
    finally:
        probe.unlink(missing_ok=True)


def _probe_free_space() -> str:
    try:
        free = shutil.disk_usage(settings.LUCID_HOME).free
    except OSError as error:
        return f"the home cannot be looked at: {_first_line(error)}"
    return f"only {size(free)} are free on the disk of the home" if free < LEAST_FREE else ""


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
