"""Duties that recur. Every worker and watcher looks for due ones, and the database decides which of them does it: of
any number of processes on any number of hosts, one does a duty in each period. There is no scheduler process that could
be missing, hang or run twice, and no file that could be damaged."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db import Error as DatabaseError
from django.db import connection

from inspector.locks.database_clock import database_ms
from inspector.runs.models import Moment
from inspector.structured import get_logger

TROUBLE_SECONDS = 10.0
"""How long to wait after a failure: the database is locked or away, or the disk is full."""
STEP_MS = 1000
"""Clocks are corrected by as much as this all the time."""

logger = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Duty:
    name: str
    interval: float
    """Seconds."""
    work: Callable[[], object]
    check_interval: float = 0.0
    """Seconds between two looks of each process; zero for the interval itself."""
    is_needed: Callable[[], bool] | None = None
    """A check that writes nothing, so that an idle Lucid leaves the disk alone."""
    shared: bool = True
    """Done once for all processes on the database. Otherwise each process does it, and the duty has its own lock."""


def schedule_follow(duties: Sequence[Duty], stop: threading.Event) -> None:
    """Does what is due until `stop` is set. Each duty has a thread, so that none waits for another."""
    for duty in duties:
        threading.Thread(target=duty_follow, args=(duty, stop), name=f"duty {duty.name}", daemon=True).start()


def duty_follow(duty: Duty, stop: threading.Event) -> None:
    while True:
        pause = duty.check_interval or duty.interval
        try:
            duty_do(duty)
        except (DatabaseError, OSError) as error:
            logger.info("duty_put_off", duty=duty.name, error=str(error).strip())
            pause = max(pause, TROUBLE_SECONDS)
        except Exception:
            # An unexpected failure must not end the schedule.
            logger.exception("duty_failed", duty=duty.name)
            pause = max(pause, TROUBLE_SECONDS)
        finally:
            connection.close()
        if stop.wait(pause):
            return


def duty_do(duty: Duty) -> bool:
    """Returns whether it was due and was done here."""
    if duty.is_needed is not None and not duty.is_needed():
        return False
    if duty.shared and not moment_claim(name=duty.name, interval=duty.interval):
        return False
    duty.work()
    return True


def moment_claim(*, name: str, interval: float) -> bool:
    """Returns whether the period is over and no other process has begun the next. A moment in the future was written
    before the clock was set back, and is ignored."""
    moment, created = Moment.objects.get_or_create(name=name, defaults={"at": database_ms()})
    if created:
        return True
    now = database_ms()  # after the row was read, so that a row written just now is not in the future
    if -STEP_MS <= now - moment.at < interval * 1000:
        return False
    return bool(Moment.objects.filter(name=name, at=moment.at).update(at=now))
