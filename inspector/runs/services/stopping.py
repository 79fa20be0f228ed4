"""The end of a process that works on runs. What has asked a model is waited for: the answer is billed either way."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from inspector.runs.kinds import kind_named
from inspector.runs.services.running import Running
from inspector.runs.services.under_way import interrupt_all, interrupt_unpaid, under_way
from sessions.text.engine.words import plural

LOOK_SECONDS = 0.1


def runs_stop(*, patience: float, say: Callable[[str], None], hurry: Callable[[], bool]) -> None:
    """Interrupts all work at once but for what has asked a model, which gets `patience` seconds, unless `hurry` says
    otherwise. Returns when no more is to be waited for."""
    paid = interrupt_unpaid()
    if paid:
        say(waiting_for(paid, patience))
    end = time.monotonic() + patience
    while under_way() and time.monotonic() < end and not hurry():
        interrupt_unpaid()  # one may just have begun
        time.sleep(LOOK_SECONDS)
    interrupt_all()


def waiting_for(paid: Sequence[Running], patience: float) -> str:
    named = ", ".join(_named(running) for running in paid)
    seconds = plural(round(patience), "second")
    return f"Waiting up to {seconds} for what a model is already paid for: {named}. Stop again to end it at once."


def _named(running: Running) -> str:
    kind = kind_named(running.kind)
    title = kind.title if kind else running.kind
    return f"{title} ({running.target})" if running.target else title
