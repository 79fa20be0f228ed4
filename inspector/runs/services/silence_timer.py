"""Measures how long something has not changed, by the monotonic clock of this process. Nobody can set that clock, and
it stands still while the machine sleeps. So neither a clock that jumps nor hosts whose clocks differ make a living
process look dead, or a dead one alive."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Hashable


class SilenceTimer:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._signs: dict[Hashable, tuple[object, float]] = {}

    def seconds_unchanged(self, key: Hashable, sign: object) -> float:
        """Seconds since `sign` was first seen with its present value."""
        now = self._clock()
        last = self._signs.get(key)
        if last is None or last[0] != sign:
            self._signs[key] = sign, now
            return 0.0
        return now - last[1]

    def forget_others(self, keys: Collection[Hashable]) -> None:
        self._signs = {key: sign for key, sign in self._signs.items() if key in keys}
