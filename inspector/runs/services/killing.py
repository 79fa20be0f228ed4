"""Kill: at once for a run that waits, at its next check for one that works, and after a moment for one whose worker
does not answer or does not obey."""

from __future__ import annotations

import threading
import time

from django.db import Error as DatabaseError
from django.db import OperationalError, connection

from inspector.runs.models import Run
from inspector.runs.selectors.presence import is_gone, lease_of
from inspector.runs.services.giving_up import run_give_up
from inspector.runs.services.impatience import impatient
from inspector.runs.services.kill_notes import kill_forget, kill_write
from inspector.runs.services.silence import Silence
from inspector.structured import get_logger
from inspector.web.clock import now_ms

PATIENCE_MS = 300
ACTIVE = (Run.Status.QUEUED, Run.Status.RUNNING)
LOOK_SECONDS = 0.25
GRACE_SECONDS = 10.0
"""A worker that gives no sign for three beats is not waited for."""
STUBBORN_SECONDS = 60.0
"""Work that is told to stop and does not, for so long, is left to itself."""
LONGEST_SECONDS = 900.0
"""The database may be away meanwhile."""
GONE = "its worker process ended"
SILENT = "its worker gave no sign of life after the kill"
STUBBORN = "it did not stop within a minute after the kill; what it still does is not kept in the run"

logger = get_logger(__name__)
_lock = threading.Lock()
_enforced: set[int] = set()


def run_kill(*, run_id: int) -> bool:
    """Whether there was anything to kill. The run itself says when it has ended; if it does not, it is ended."""
    run = Run.objects.filter(pk=run_id, status__in=ACTIVE).defer("turns", "result").first()
    if run is None:
        return False
    if run.kill_requested_at is not None:
        _see_to_it(run)
        return False
    kill_write(run)
    with impatient(PATIENCE_MS):
        try:
            if _ended(run):
                return True
            killed = _asked(run)
        except OperationalError:
            if connection.vendor != "sqlite":
                raise
            killed = True  # Somebody writes for long. The note is as good, and is read at once.
    if killed:
        _see_to_it(run)
    else:
        kill_forget(run)  # it ended meanwhile
    return killed


def _ended(run: Run) -> bool:
    """Whether it was still waiting, and does so no more."""
    now = now_ms()
    waiting = Run.objects.filter(pk=run.pk, status=Run.Status.QUEUED)
    if not waiting.update(status=Run.Status.KILLED, kill_requested_at=now, finished_at=now):
        return False
    kill_forget(run)
    return True


def _asked(run: Run) -> bool:
    at_work = Run.objects.filter(pk=run.pk, status=Run.Status.RUNNING, kill_requested_at=None)
    return bool(at_work.update(kill_requested_at=now_ms()))


def _see_to_it(run: Run) -> None:
    """Somebody has to: there may be no other process left that would."""
    with _lock:
        if run.pk in _enforced:
            return
        _enforced.add(run.pk)
    threading.Thread(target=_enforce, args=(run.pk,), name=f"kill of run {run.pk}", daemon=True).start()


def _enforce(run_id: int) -> None:
    kills, end = Kills(), time.monotonic() + LONGEST_SECONDS
    try:
        while time.monotonic() < end:
            try:
                run = Run.objects.filter(pk=run_id, status__in=ACTIVE).defer("turns", "result").first()
                if run is None or (_ended(run) if run.status == Run.Status.QUEUED else kills.enforce(run)):
                    return
            except DatabaseError as error:
                logger.info("kill_tried_again", run=run_id, error=str(error).strip())
                connection.close()
            time.sleep(LOOK_SECONDS)
    finally:
        connection.close()
        with _lock:
            _enforced.discard(run_id)


class Kills:
    """Looks at runs that were killed, until they have ended one way or the other."""

    def __init__(self, silence: Silence | None = None, age: Silence | None = None) -> None:
        self._silence = silence or Silence()
        self._age = age or Silence()

    def enforce(self, run: Run) -> bool:
        """Ends the run if its worker is gone or silent, or has had long enough."""
        if is_gone(run.worker):
            return run_give_up(run=run, reason=GONE)
        if self._silence.of(run.pk, lease_of(run)) >= GRACE_SECONDS:
            return run_give_up(run=run, reason=SILENT)
        if self._age.of(run.pk, run.worker) >= STUBBORN_SECONDS:
            return run_give_up(run=run, reason=STUBBORN, even_if_heard=True)
        return False
