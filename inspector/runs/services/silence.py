"""How long something has not changed, by the clock of whoever looks. Nobody can set that clock, and it stands still
while the machine sleeps: so neither a clock that jumps nor one that differs from another host's makes a living thing
look dead, or a dead one alive."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Hashable


class Silence:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: dict[Hashable, tuple[object, float]] = {}

    def of(self, what: Hashable, sign: object) -> float:
        """Seconds since `sign` was first seen to be what it is now."""
        now = self._clock()
        known = self._seen.get(what)
        if known is None or known[0] != sign:
            self._seen[what] = sign, now
            return 0.0
        return now - known[1]

    def forget_others(self, present: Collection[Hashable]) -> None:
        self._seen = {what: seen for what, seen in self._seen.items() if what in present}
