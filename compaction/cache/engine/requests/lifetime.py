"""How long the tokens that a request wrote stay in the cache: by its cache marks, or else by its usage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from compaction.cache.engine.causes.cause_names import CauseName
from compaction.cache.engine.requests.calls import LIMITS, Call, Limits
from compaction.cache.engine.requests.prompt import SentMark
from sessions.requests.engine.prompt_cache.ttl import Ttl


@dataclass(frozen=True, slots=True)
class Lifetime:
    """A request may mark what seldom changes for an hour, and the rest for five minutes."""

    five_minutes: bool = True
    one_hour: bool = False

    def expired_ttl(self, gap: int | None, limits: Limits = LIMITS) -> CauseName | None:
        """The lifetime that has expired after this many milliseconds; if both have, the longer one, which covers the
        start of the prompt."""
        if gap is None:
            return None
        if self.one_hour and gap > limits.one_hour:
            return CauseName.TTL_1H
        return CauseName.TTL_5M if self.five_minutes and gap > limits.five_minutes else None

    def longest_ms(self, limits: Limits = LIMITS) -> int:
        return limits.one_hour if self.one_hour else limits.five_minutes


def lifetime_of(marks: Mapping[str, SentMark] | None, earlier_calls: Iterable[Call]) -> Lifetime:
    """`earlier_calls`: the requests of the source, in order. The last one that wrote to the cache decides."""
    if marks:
        hours = [mark.value.get("ttl") == Ttl.ONE_HOUR for mark in marks.values()]
        return Lifetime(not all(hours), any(hours))
    last_writer = None
    for call in earlier_calls:
        last_writer = call if call.written else last_writer
    if last_writer is None:
        return Lifetime()
    return Lifetime(last_writer.usage.cache_write_5m > 0, last_writer.usage.cache_write_1h > 0)
