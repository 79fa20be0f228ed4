"""Stops a process that works on runs. Runs that have asked a model get time to end: the answer is billed either way."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from inspector.runs.kinds import find_run_kind
from inspector.runs.services.active_run import ActiveRun
from inspector.runs.services.local_runs import interrupt_all, interrupt_unpaid, local_runs
from sessions.text.engine.words import plural

LOOK_SECONDS = 0.1


def runs_stop(*, patience: float, announce: Callable[[str], None], should_hurry: Callable[[], bool]) -> None:
    """Interrupts all work at once, except runs that have asked a model: those get `patience` seconds, or until
    `should_hurry`."""
    paid = interrupt_unpaid()
    if paid:
        announce(waiting_message(paid, patience))
    end = time.monotonic() + patience
    while local_runs() and time.monotonic() < end and not should_hurry():
        interrupt_unpaid()  # a run may just have begun
        time.sleep(LOOK_SECONDS)
    interrupt_all()


def waiting_message(paid: Sequence[ActiveRun], patience: float) -> str:
    names = ", ".join(_describe(running) for running in paid)
    seconds = plural(round(patience), "second")
    return f"Waiting up to {seconds} for what a model is already paid for: {names}. Stop again to end it at once."


def _describe(running: ActiveRun) -> str:
    kind = find_run_kind(running.kind)
    title = kind.title if kind else running.kind
    return f"{title} ({running.target})" if running.target else title
