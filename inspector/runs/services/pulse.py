"""The pulse of a run: a thread that writes what the work has said, gives a sign of life, and listens for a kill.

It has a connection of its own, so that neither a transaction of the work hides what it says, nor long work its life."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import Error as DatabaseError
from django.db import connection
from django.db.models import QuerySet

from inspector.runs.models import Run
from inspector.runs.services.running import Running
from inspector.runs.services.stops import Killed, Lost
from inspector.structured import get_logger
from inspector.web.clock import now_ms

TICK = 0.25
BEAT = 3.0
PATIENCE_MS = 500

logger = get_logger(__name__)


@contextmanager
def beating(running: Running) -> Iterator[None]:
    done = threading.Event()
    thread = threading.Thread(target=_beat, args=(running, done), name=f"pulse of run {running.run_id}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def write_told(running: Running) -> bool:
    """Write what was said, if anything was. False if the run is not ours any more."""
    with running.writing:
        told = running.take()
        try:
            return bool(ours(running).update(**told, heartbeat_at=now_ms()))
        except BaseException:
            running.give_back(told)
            raise


def _beat(running: Running, done: threading.Event) -> None:
    last = -BEAT
    try:
        while not done.wait(TICK):
            try:
                if running.noted():
                    running.stop(Killed)
                _be_impatient()
                listen(running)
                if running.unwritten or time.monotonic() - last >= BEAT:
                    write_told(running)
                    last = time.monotonic()
            except DatabaseError as error:
                logger.info("run_pulse_missed", run=running.run_id, error=str(error))
                # A server that was restarted answers on a new connection only.
                connection.close()
    finally:
        connection.close()


def _be_impatient() -> None:
    """While somebody else writes for long, a kill must still be heard: better to write at the next tick."""
    if connection.vendor == "sqlite" and connection.connection is None:
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA busy_timeout = {PATIENCE_MS}")


def listen(running: Running) -> None:
    """Hears in the database that the work must stop: somebody killed the run, or gave it up while we were silent."""
    row = Run.objects.filter(pk=running.run_id).values_list("status", "worker", "kill_requested_at").first()
    if row is None and not running.seen:
        return  # it may still be in a transaction of whoever made it
    running.seen = True
    if row is None or row[:2] != (Run.Status.RUNNING, running.worker):
        running.stop(Lost)
    elif row[2] is not None:
        running.stop(Killed)


def ours(running: Running) -> QuerySet[Run]:
    """The run, as long as nobody has given it up."""
    return Run.objects.filter(pk=running.run_id, status=Run.Status.RUNNING, worker=running.worker)
