"""Kills runs: a queued one at once, a running one at its next check, and after a while also one whose worker does not
respond or does not stop."""

from __future__ import annotations

import threading
import time

from django.db import Error as DatabaseError
from django.db import OperationalError, connection

from inspector.runs.models import Run
from inspector.runs.selectors.presence import has_ended, lease_of
from inspector.runs.services.busy_timeout import short_busy_timeout
from inspector.runs.services.give_up import run_give_up
from inspector.runs.services.kill_notes import kill_forget, kill_write
from inspector.runs.services.silence_timer import SilenceTimer
from inspector.structured import get_logger
from inspector.web.clock import now_ms

PATIENCE_MS = 300
ACTIVE = (Run.Status.QUEUED, Run.Status.RUNNING)
LOOK_SECONDS = 0.25
GRACE_SECONDS = 10.0
"""After three missed heartbeats, the worker is not waited for."""
STUBBORN_SECONDS = 60.0
"""Work that was told to stop and does not stop in this time is abandoned."""
LONGEST_SECONDS = 900.0
"""Long, because the database may be unavailable meanwhile."""
GONE = "its worker process ended"
SILENT = "its worker gave no sign of life after the kill"
STUBBORN = "it did not stop within a minute after the kill; what it still does is not kept in the run"

logger = get_logger(__name__)
_lock = threading.Lock()
_enforced: set[int] = set()


def run_kill(*, run_id: int) -> bool:
    """Returns whether there was anything to kill. A run that does not end by itself is ended in the background."""
    run = Run.objects.filter(pk=run_id, status__in=ACTIVE).defer("turns", "result").first()
    if run is None:
        return False
    if run.kill_requested_at is not None:
        _enforce_in_background(run)
        return False
    kill_write(run)
    with short_busy_timeout(PATIENCE_MS):
        try:
            if _kill_queued(run):
                return True
            killed = _request_kill(run)
        except OperationalError:
            if connection.vendor != "sqlite":
                raise
            killed = True  # Another writer holds the database. The note does the same, and is read at once.
    if killed:
        _enforce_in_background(run)
    else:
        kill_forget(run)  # it has ended meanwhile
    return killed


def _kill_queued(run: Run) -> bool:
    """Kills the run if it is still queued; returns whether it was."""
    now = now_ms()
    waiting = Run.objects.filter(pk=run.pk, status=Run.Status.QUEUED)
    if not waiting.update(status=Run.Status.KILLED, kill_requested_at=now, finished_at=now):
        return False
    kill_forget(run)
    return True


def _request_kill(run: Run) -> bool:
    at_work = Run.objects.filter(pk=run.pk, status=Run.Status.RUNNING, kill_requested_at=None)
    return bool(at_work.update(kill_requested_at=now_ms()))


def _enforce_in_background(run: Run) -> None:
    """In this process, because there may be no other one left that would."""
    with _lock:
        if run.pk in _enforced:
            return
        _enforced.add(run.pk)
    threading.Thread(target=_enforce, args=(run.pk,), name=f"kill of run {run.pk}", daemon=True).start()


def _enforce(run_id: int) -> None:
    enforcer, end = KillEnforcer(), time.monotonic() + LONGEST_SECONDS
    try:
        while time.monotonic() < end:
            try:
                run = Run.objects.filter(pk=run_id, status__in=ACTIVE).defer("turns", "result").first()
                if run is None or (_kill_queued(run) if run.status == Run.Status.QUEUED else enforcer.enforce(run)):
                    return
            except DatabaseError as error:
                logger.info("kill_tried_again", run=run_id, error=str(error).strip())
                connection.close()
            time.sleep(LOOK_SECONDS)
    finally:
        connection.close()
        with _lock:
            _enforced.discard(run_id)


class KillEnforcer:
    """Watches runs that were killed, until they have ended one way or the other."""

    def __init__(self, silence: SilenceTimer | None = None, age: SilenceTimer | None = None) -> None:
        self._silence = silence or SilenceTimer()
        self._age = age or SilenceTimer()

    def enforce(self, run: Run) -> bool:
        """Ends the run if its worker has ended, is silent, or has had enough time to stop."""
        if has_ended(run.worker):
            return run_give_up(run=run, reason=GONE)
        if self._silence.seconds_unchanged(run.pk, lease_of(run)) >= GRACE_SECONDS:
            return run_give_up(run=run, reason=SILENT)
        if self._age.seconds_unchanged(run.pk, run.worker) >= STUBBORN_SECONDS:
            return run_give_up(run=run, reason=STUBBORN, even_if_heard=True)
        return False
