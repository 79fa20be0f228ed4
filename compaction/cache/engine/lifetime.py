"""How long what a request wrote stays in the cache: by the marks that it carried, or else by what its usage says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from compaction.cache.engine.calls import LIMITS, Call, Limits
from compaction.cache.engine.names import Name
from compaction.mechanisms.engine.prompt_cache.ttl import Ttl


@dataclass(frozen=True, slots=True)
class Lifetime:
    """A request may mark what seldom changes for an hour and the rest for five minutes."""

    five_minutes: bool = True
    one_hour: bool = False

    def expired(self, gap: int | None, limits: Limits = LIMITS) -> Name | None:
        """What has run out after this many milliseconds; of both, the longer one, because it holds the start."""
        if gap is None:
            return None
        if self.one_hour and gap > limits.one_hour:
            return Name.TTL_1H
        return Name.TTL_5M if self.five_minutes and gap > limits.five_minutes else None

    def longest(self, limits: Limits = LIMITS) -> int:
        return limits.one_hour if self.one_hour else limits.five_minutes

    def shortest(self, limits: Limits = LIMITS) -> int:
        return limits.five_minutes if self.five_minutes else limits.one_hour


def lifetime_of(marks: Mapping[str, Mapping[str, Any]] | None, before: Iterable[Call]) -> Lifetime:
    """`before`: the requests of the source up to the one that wrote, in order. Those that wrote nothing say nothing."""
    if marks:
        hours = [value.get("ttl") == Ttl.ONE_HOUR for value in marks.values()]
        return Lifetime(not all(hours), any(hours))
    wrote = None
    for call in before:
        wrote = call if call.written else wrote
    if wrote is None:
        return Lifetime()
    return Lifetime(wrote.usage.cache_write_5m > 0, wrote.usage.cache_write_1h > 0)
