"""The pulse of a run: a thread that writes its progress, renews its lease, and looks for a kill.

It has a database connection of its own, so that its writes are visible while the work is in a transaction, and go on
while the work is busy."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import Error as DatabaseError
from django.db import connection
from django.db.models import QuerySet

from inspector.runs.models import Run
from inspector.runs.services.active_run import ActiveRun
from inspector.runs.services.stops import RunKilled, RunLost
from inspector.structured import get_logger
from inspector.web.clock import now_ms

TICK = 0.25
BEAT = 3.0
PATIENCE_MS = 500

logger = get_logger(__name__)


@contextmanager
def keep_pulse(running: ActiveRun) -> Iterator[None]:
    stopped = threading.Event()
    thread = threading.Thread(target=_beat, args=(running, stopped), name=f"pulse of run {running.run_id}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


def write_updates(running: ActiveRun) -> bool:
    """Writes the progress and the heartbeat. False if the run is no longer ours."""
    with running.writing:
        updates = running.take_updates()
        try:
            return bool(own_run(running).update(**updates, heartbeat_at=now_ms()))
        except BaseException:
            running.restore_updates(updates)
            raise


def _beat(running: ActiveRun, stopped: threading.Event) -> None:
    last = -BEAT
    try:
        while not stopped.wait(TICK):
            try:
                if running.has_kill_note():
                    running.stop(RunKilled)
                _shorten_busy_timeout()
                check_for_stop(running)
                if running.has_updates or time.monotonic() - last >= BEAT:
                    write_updates(running)
                    last = time.monotonic()
            except DatabaseError as error:
                logger.info("run_pulse_missed", run=running.run_id, error=str(error))
                # A server that was restarted answers on a new connection only.
                connection.close()
    finally:
        connection.close()


def _shorten_busy_timeout() -> None:
    """While another process writes for long, kills must still be noticed: better to write at the next tick."""
    if connection.vendor == "sqlite" and connection.connection is None:
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA busy_timeout = {PATIENCE_MS}")


def check_for_stop(running: ActiveRun) -> None:
    """Stops the work if the database says that the run was killed, or was given up while we were silent."""
    row = Run.objects.filter(pk=running.run_id).values_list("status", "worker", "kill_requested_at").first()
    if row is None and not running.is_visible:
        return  # the transaction that created it may still be open
    running.is_visible = True
    if row is None or row[:2] != (Run.Status.RUNNING, running.worker):
        running.stop(RunLost)
    elif row[2] is not None:
        running.stop(RunKilled)


def own_run(running: ActiveRun) -> QuerySet[Run]:
    """The run, unless it was given up."""
    return Run.objects.filter(pk=running.run_id, status=Run.Status.RUNNING, worker=running.worker)
