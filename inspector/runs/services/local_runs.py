"""The runs that this process works on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from inspector.runs.services.active_run import ActiveRun
from inspector.runs.services.stops import RunInterrupted

_lock = threading.Lock()
_local_runs: dict[int, ActiveRun] = {}
_ending = threading.Event()


@contextmanager
def register(running: ActiveRun) -> Iterator[None]:
    with _lock:
        _local_runs[running.run_id] = running
    if _ending.is_set():
        running.stop(RunInterrupted)
    try:
        yield
    finally:
        with _lock:
            _local_runs.pop(running.run_id, None)


def local_runs() -> list[ActiveRun]:
    with _lock:
        return list(_local_runs.values())


def mark_model_asked(run_id: int) -> None:
    """From now on, interrupting the run would waste an answer that is billed."""
    running = _local_runs.get(run_id)
    if running is not None:
        running.has_asked_model = True


def interrupt_all() -> None:
    """The process is about to end: all its work stops at the next check, and what begins now does not get further."""
    _ending.set()
    for running in local_runs():
        running.stop(RunInterrupted)


def interrupt_unpaid() -> list[ActiveRun]:
    """The same, except for runs that have asked a model, which are returned."""
    paid = []
    for running in local_runs():
        if running.has_asked_model:
            paid.append(running)
        else:
            running.stop(RunInterrupted)
    return paid
