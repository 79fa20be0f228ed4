"""Shares a large import with workers: rows say who reads which files, and this process reads too.

Nothing depends on the workers: what they do not take, or give up, this process reads itself, and when it ends, for
whatever reason, they stop."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection, transaction

from sessions.imports.services import bulk
from sessions.imports.services.import_lock import ImportLock, lock_of
from sessions.imports.services.jobs import Job
from sessions.imports.services.shared.import_workers import ImportWorkers, import_workers
from sessions.imports.services.shared.portions import (
    Outcome,
    group_jobs,
    outcomes_take,
    portion_take,
    portions_create,
    portions_forget,
)
from sessions.models import Portion

if TYPE_CHECKING:
    from sessions.imports.services.server_import_lock import ServerImportLock

CALL_SECONDS = 10.0
PAUSE = 0.1


def share(jobs: Sequence[Job], todo_bytes: int, lock: ImportLock) -> Share | None:
    """None if there is too little to read, nobody to help, or a database with one writer."""
    if not settings.LUCID_SHARE_IMPORTS or connection.vendor != "postgresql" or todo_bytes <= bulk.LARGE_BYTES:
        return None
    team = import_workers()
    places = 0 if team is None else team.places()
    if team is None or not places:
        return None
    from sessions.imports.services.server_import_lock import ServerImportLock  # its driver is not loaded for SQLite

    assert isinstance(lock, ServerImportLock)
    return Share(jobs, lock, team, places)


class Share:
    def __init__(self, jobs: Sequence[Job], lock: ServerImportLock, team: ImportWorkers, places: int) -> None:
        self.workers: set[str] = set()
        """Those that took part."""
        self._jobs = jobs
        self._lock = lock
        self._team = team
        self._places = places
        self._number = 0
        self._called = 0.0

    def __enter__(self) -> Self:
        self._lock.share()
        # Pack the bytes at once: the process that reads the lines has the file open, and may be on another machine.
        groups = group_jobs([replace(job, pack=True, quick=True) for job in self._jobs])
        with transaction.atomic():
            self._lock.guard()
            shared = portions_create(groups=groups, host=self._lock.host, holder=self._lock.holder)
        self._number = shared.pk
        self._call(self._places)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            portions_forget(self._number)
        except DatabaseError:
            # The error that ended the import may be the cause of this one, and says more. The next import deletes what
            # is left.
            if error is None:
                raise

    def portions(self) -> Iterator[list[Job]]:
        """What this process should read, until everything is read. Yields None now and then while only others are
        busy."""
        while True:
            with transaction.atomic():
                self._lock.guard()
                jobs = portion_take(self._number)
            if jobs is not None:
                yield jobs
            elif self._others():
                yield []
                time.sleep(PAUSE)
            else:
                return
            if time.monotonic() - self._called > CALL_SECONDS:
                self._call_again()

    def outcomes(self) -> list[Outcome]:
        """What workers have read since the last call."""
        with transaction.atomic():
            self._lock.guard()
            read = list(outcomes_take(self._number))
        self.workers |= {worker for worker, _ in read}
        return [outcome for _, outcome in read]

    def _others(self) -> bool:
        return Portion.objects.filter(shared_import_id=self._number, done=False).exists()

    def _call_again(self) -> None:
        """Calls workers that have a free place, because workers come and go."""
        from inspector.locks.server_lock import count_joined

        left = Portion.objects.filter(shared_import_id=self._number, done=False).count()
        free = self._team.places() - count_joined(lock_of(self._lock.host))
        self._call(min(free, left))

    def _call(self, places: int) -> None:
        self._called = time.monotonic()
        if places > 0:
            self._team.call(self._number, places)
