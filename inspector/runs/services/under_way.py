"""The runs that this very process works on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from inspector.runs.services.running import Running
from inspector.runs.services.stops import Interrupted

_lock = threading.Lock()
_under_way: dict[int, Running] = {}


@contextmanager
def at_work(running: Running) -> Iterator[None]:
    with _lock:
        _under_way[running.run_id] = running
    try:
        yield
    finally:
        with _lock:
            _under_way.pop(running.run_id, None)


def under_way() -> list[Running]:
    with _lock:
        return list(_under_way.values())


def model_asked(run_id: int) -> None:
    """The run has sent something that is paid for."""
    running = _under_way.get(run_id)
    if running is not None:
        running.paid = True


def interrupt_all() -> None:
    """The process is about to end: all work in it stops where it next can."""
    for running in under_way():
        running.stop(Interrupted)


def interrupt_unpaid() -> list[Running]:
    """The same for all but the runs that have asked a model. Those are named."""
    paid = []
    for running in under_way():
        if running.paid:
            paid.append(running)
        else:
            running.stop(Interrupted)
    return paid
