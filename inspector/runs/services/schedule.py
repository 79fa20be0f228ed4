"""What is due now and then. Every worker and watcher looks, and the database decides who does it: of any number of
processes on any number of hosts, one does a duty in each period. There is no process that could be missing, hang or run
twice, and no file that could be damaged."""

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
"""The database is held or away, or the disk full: what is due waits, and so do we."""
STEP_MS = 1000
"""By so little a clock is put right all the time."""

logger = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Duty:
    name: str
    every: float
    """Seconds."""
    work: Callable[[], object]
    look: float = 0.0
    """How often each process looks whether there is something to do; zero for as often as it is due."""
    wanted: Callable[[], bool] | None = None
    """A look that writes nothing, so that an idle Lucid leaves the disk alone."""
    shared: bool = True
    """Done once for all processes on the database; else by each, which agree on it by a lock of their own."""


def schedule_follow(duties: Sequence[Duty], stop: threading.Event) -> None:
    """Does what is due until `stop` is set, each duty in a thread, so that none waits for another."""
    for duty in duties:
        threading.Thread(target=duty_follow, args=(duty, stop), name=f"duty {duty.name}", daemon=True).start()


def duty_follow(duty: Duty, stop: threading.Event) -> None:
    while True:
        pause = duty.look or duty.every
        try:
            duty_do(duty)
        except (DatabaseError, OSError) as error:
            logger.info("duty_put_off", duty=duty.name, error=str(error).strip())
            pause = max(pause, TROUBLE_SECONDS)
        except Exception:
            # One that fails in a way that nobody foresaw must not be the last one.
            logger.exception("duty_failed", duty=duty.name)
            pause = max(pause, TROUBLE_SECONDS)
        finally:
            connection.close()
        if stop.wait(pause):
            return


def duty_do(duty: Duty) -> bool:
    """Whether it was due, and done here."""
    if duty.wanted is not None and not duty.wanted():
        return False
    if duty.shared and not moment_claim(name=duty.name, every=duty.every):
        return False
    duty.work()
    return True


def moment_claim(*, name: str, every: float) -> bool:
    """Whether the period is over and nobody else has begun the next. A moment that is still to come was written before
    the clock was set back, and counts for nothing."""
    moment, made = Moment.objects.get_or_create(name=name, defaults={"at": database_ms()})
    if made:
        return True
    now = database_ms()  # after the row was read, so that one which was written just now is not still to come
    if -STEP_MS <= now - moment.at < every * 1000:
        return False
    return bool(Moment.objects.filter(name=name, at=moment.at).update(at=now))
