"""Requests as their usage tells them, and where the cache dropped. Nothing is decoded for this: it decides which few
requests are worth comparing.

`read[n] < read[n-1] + written[n-1]` would flag four requests for each that matters. Only a fall of what was read, by a
share and by an amount, against the request before it of the same source, is a drop.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from msgspec import Struct

from sessions.usage.engine.usage import Usage

MINUTE = 60_000


@dataclass(frozen=True, slots=True)
class Limits:
    share: float = 0.05
    """What is read must fall by more than this share of what was read before,"""
    tokens: int = 2_000
    """and by more than so many tokens."""
    left_out: tuple[str, ...] = ("haiku",)
    """Models whose requests are never a break, by a part of their name."""
    lookback: int = 20
    """Blocks that the API looks back over from a mark, the marked one among them."""
    five_minutes: int = 5 * MINUTE
    one_hour: int = 60 * MINUTE


LIMITS = Limits()


class Call(Struct, frozen=True, gc=False):
    """A request that was answered. A session has thousands."""

    message_id: str
    source: str
    """Who asked. The requests of one source go on from each other; those of two never do."""
    model: str
    position: int
    """Of the first record of the answer."""
    started: int | None
    """When it was sent, in milliseconds since 1970: a cache entry lives from there."""
    usage: Usage
    copied: bool = False
    """Only repeats a request of another file: others may follow it, but it was not made here."""

    @property
    def read(self) -> int:
        return self.usage.cache_read

    @property
    def written(self) -> int:
        return self.usage.cache_write_5m + self.usage.cache_write_1h

    @property
    def cached(self) -> int:
        """What a request that repeats it can read."""
        return self.read + self.written

    @property
    def prompt(self) -> int:
        return self.usage.context


@dataclass(frozen=True, slots=True)
class Drop:
    previous: Call
    call: Call

    @property
    def lost(self) -> int:
        return self.previous.read - self.call.read

    @property
    def gap(self) -> int | None:
        return gap_of(self.previous, self.call)


def gap_of(previous: Call, call: Call) -> int | None:
    """From the start of one request to that of the other, in milliseconds."""
    if previous.started is None or call.started is None:
        return None
    return max(0, call.started - previous.started)


def drops(calls: Iterable[Call], limits: Limits = LIMITS) -> Iterator[Drop]:
    """`calls`: in the order in which they were made, of however many sources."""
    latest: dict[str, Call] = {}
    for call in calls:
        if not call.prompt:
            continue  # nothing was counted, so that nothing can be compared
        previous = latest.get(call.source)
        latest[call.source] = call
        if previous is None or call.copied or left_out(call.model, limits):
            continue
        if fell(previous.read, call.read, limits):
            yield Drop(previous, call)


def fell(before: int, after: int, limits: Limits = LIMITS) -> bool:
    lost = before - after
    return lost > limits.tokens and lost > before * limits.share


def left_out(model: str, limits: Limits = LIMITS) -> bool:
    name = model.lower()
    return any(part in name for part in limits.left_out)
