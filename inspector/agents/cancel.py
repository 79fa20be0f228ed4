"""Cancellation: the work checks a token between steps, and any thread may cancel it."""

from __future__ import annotations

import threading
from collections.abc import Callable

from inspector.agents.errors import CancelledError

TICK = 0.1
"""Seconds after which waiting work checks its token again."""


class CancelToken:
    """Set once, never unset. `probe` is called too, in the working thread, to see for example if a run was killed."""

    __slots__ = ("_event", "_parent", "_probe")

    def __init__(self, *, parent: CancelToken | None = None, probe: Callable[[], bool] | None = None) -> None:
        self._event = threading.Event()
        self._parent = parent
        self._probe = probe

    def cancel(self) -> None:
        self._event.set()

    @property
    def is_cancelled(self) -> bool:
        if self._event.is_set():
            return True
        if (self._parent is not None and self._parent.is_cancelled) or (self._probe is not None and self._probe()):
            self._event.set()
        return self._event.is_set()

    def child(self) -> CancelToken:
        """A token that is cancelled with this one, but not the other way round."""
        return CancelToken(parent=self)

    def check(self) -> None:
        if self.is_cancelled:
            raise CancelledError()

    def sleep(self, seconds: float) -> None:
        """Waits until the time is up or the token is cancelled."""
        left = seconds
        while left > 0:
            self.check()
            pause = min(left, TICK)
            self._event.wait(pause)
            left -= pause
        self.check()
