"""The task of the queue, which executes a run by its id; and the worker's other work: its duties, and an end that
wastes no answer that was paid for."""

from __future__ import annotations

import os
import signal
import sys
import threading
from functools import partial
from typing import Any

from celery import shared_task
from celery.signals import worker_ready, worker_shutting_down
from django.conf import settings

from inspector.runs.selectors.presence import WORKER
from inspector.runs.services import run_execute
from inspector.runs.services.presence import presence_begin
from inspector.runs.services.run_queue import TASK
from inspector.runs.services.schedule import schedule_follow
from inspector.runs.services.shutdown import runs_stop
from inspector.watcher import duties

_ending = threading.Event()
_hurry = threading.Event()


@shared_task(name=TASK)
def run(run_id: int) -> None:
    run_execute(run_id=run_id)


@worker_ready.connect
def _begin(**_: Any) -> None:
    presence_begin(role=WORKER)
    schedule_follow(duties.WORKER, _ending)
    # By itself, Celery would wait for the work in the signal handler after a second Ctrl-C.
    signal.signal(signal.SIGINT, lambda *_: os.kill(os.getpid(), signal.SIGTERM))


@worker_shutting_down.connect
def _end(**_: Any) -> None:
    """Celery itself takes no more messages and waits for the work, until it is told a second time."""
    if _ending.is_set():
        _hurry.set()
        return
    _ending.set()
    stop = partial(runs_stop, patience=settings.LUCID_STOP_SECONDS, announce=_say, should_hurry=_hurry.is_set)
    threading.Thread(target=stop, name="end", daemon=True).start()


def _say(sentence: str) -> None:
    sys.stdout.write(f"{sentence}\n")
    sys.stdout.flush()
