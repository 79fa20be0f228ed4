"""The task of the queue, a run by its id; and the duties of the worker that executes it."""

from __future__ import annotations

import threading
from typing import Any

from celery import shared_task
from celery.signals import worker_ready, worker_shutting_down

from inspector.selectors.presence import WORKER
from inspector.services.duties import worker_duties
from inspector.services.runs import interrupt_all, run_execute
from inspector.services.runs.presence import presence_begin
from inspector.services.runs.queueing import TASK
from inspector.services.schedule import schedule_follow

_ending = threading.Event()


@shared_task(name=TASK)
def run(run_id: int) -> None:
    run_execute(run_id=run_id)


@worker_ready.connect
def _begin(**_: Any) -> None:
    presence_begin(role=WORKER)
    schedule_follow(worker_duties(), _ending)


@worker_shutting_down.connect
def _end(**_: Any) -> None:
    _ending.set()
    interrupt_all()
