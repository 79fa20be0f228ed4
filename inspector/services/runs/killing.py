"""Kill: at once for a run that waits, at its next check for one that works."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection

from inspector.models import Run
from inspector.selectors.kills import kill_note
from inspector.web.clock import now_ms

PATIENCE_MS = 300
ACTIVE = (Run.Status.QUEUED, Run.Status.RUNNING)


def run_kill(*, run_id: int) -> bool:
    """Whether there was anything to kill. The run itself says when it has ended."""
    run = Run.objects.filter(pk=run_id, status__in=ACTIVE, kill_requested_at=None).only("created_at").first()
    if run is None:
        return False
    note = kill_note(run.pk, run.created_at)
    note.parent.mkdir(parents=True, exist_ok=True)
    note.touch()
    with _impatient():
        try:
            return _written(run)
        except OperationalError:
            if connection.vendor != "sqlite":
                raise
            return True  # Somebody writes for long. The note is as good, and is read at once.


def kill_forget(run: Run) -> None:
    kill_note(run.pk, run.created_at).unlink(missing_ok=True)


def _written(run: Run) -> bool:
    now = now_ms()
    waiting = Run.objects.filter(pk=run.pk, status=Run.Status.QUEUED)
    if waiting.update(status=Run.Status.KILLED, kill_requested_at=now, finished_at=now):
        kill_forget(run)
        return True
    at_work = Run.objects.filter(pk=run.pk, status=Run.Status.RUNNING, kill_requested_at=None)
    if at_work.update(kill_requested_at=now):
        return True
    kill_forget(run)  # it ended meanwhile
    return False


@contextmanager
def _impatient() -> Iterator[None]:
    if connection.vendor != "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        usual = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
        cursor.execute(f"PRAGMA busy_timeout = {PATIENCE_MS}")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA busy_timeout = {int(usual)}")
