"""The tasks: a run by its id, and the look for dreams that are due. The worker that executes them also looks after the
runs that other workers lost, and stores what was captured."""

from __future__ import annotations

import threading
from typing import Any

from celery import shared_task
from celery.signals import worker_ready, worker_shutting_down
from django.db import Error as DatabaseError
from django.db import connection

from inspector.services.captures import captures_follow
from inspector.services.dreams import dreams_start
from inspector.services.runs import interrupt_all, run_execute, runs_reap
from inspector.services.runs.queueing import TASK
from inspector.structured import get_logger

REAP_SECONDS = 10.0

logger = get_logger(__name__)
_ending = threading.Event()


@shared_task(name=TASK)
def run(run_id: int) -> None:
    run_execute(run_id=run_id)


@shared_task(name="inspector.dreams")
def dreams() -> None:
    dreams_start()


@worker_ready.connect
def _look_after_runs(**_: Any) -> None:
    threading.Thread(target=_reap, name="reaper", daemon=True).start()
    threading.Thread(target=captures_follow, args=(_ending,), name="captures", daemon=True).start()


@worker_shutting_down.connect
def _let_go(**_: Any) -> None:
    _ending.set()
    interrupt_all()


def _reap() -> None:
    while True:
        try:
            runs_reap()
        except DatabaseError as error:
            logger.info("reaping_failed", error=str(error))
        finally:
            connection.close()
        if _ending.wait(REAP_SECONDS):
            return
