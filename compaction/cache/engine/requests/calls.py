"""Finds drops of the cache from the usage of requests alone. Nothing is decoded: this decides which few requests are
worth comparing.

`read[n] < read[n-1] + written[n-1]` would flag four requests for each that matters. A drop is a request that read less
than the one before it of the same source, by both a share and an amount.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from msgspec import Struct

from sessions.usage.engine.usage import Usage

MINUTE = 60_000


@dataclass(frozen=True, slots=True)
class Limits:
    min_share: float = 0.05
    """The tokens read must fall by more than this share"""
    min_tokens: int = 2_000
    """and by more than this number."""
    left_out_models: tuple[str, ...] = ("haiku",)
    """Parts of the names of models whose requests are no break, unless the switch to one read nothing."""
    lookback: int = 20
    """Blocks that the API searches backwards from a mark, the marked one included."""
    five_minutes: int = 5 * MINUTE
    one_hour: int = 60 * MINUTE


LIMITS = Limits()


class Call(Struct, frozen=True, gc=False):
    """A request that was answered. A session has thousands."""

    message_id: str
    source: str
    """The thread that sent it. Requests of one source continue each other; those of two sources never do."""
    model: str
    position: int
    """Of the first record of the answer."""
    started: int | None
    """When it was sent, in milliseconds since 1970: a cache entry lives from there."""
    usage: Usage
    copied: bool = False
    """It repeats a request of another file: others may follow it, but it was not sent from here."""

    @property
    def read(self) -> int:
        return self.usage.cache_read

    @property
    def written(self) -> int:
        return self.usage.cache_write_5m + self.usage.cache_write_1h

    @property
    def cached(self) -> int:
        """Tokens that the next request can read if it repeats this one."""
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


def find_drops(calls: Iterable[Call], limits: Limits = LIMITS) -> Iterator[Drop]:
    """`calls`: in the order in which they were sent, from any number of sources."""
    latest: dict[str, Call] = {}
    for call in calls:
        if not call.prompt:
            continue  # nothing was counted, so nothing can be compared
        previous = latest.get(call.source)
        latest[call.source] = call
        if previous is None or call.copied or (is_left_out(call.model, limits) and not _has_lost_all(previous, call)):
            continue
        if has_dropped(previous.read, call.read, limits):
            yield Drop(previous, call)


def has_dropped(before: int, after: int, limits: Limits = LIMITS) -> bool:
    lost = before - after
    return lost > limits.min_tokens and lost > before * limits.min_share


def _has_lost_all(previous: Call, call: Call) -> bool:
    """A switch to another model that found nothing in the cache."""
    return not call.read and call.model != previous.model


def is_left_out(model: str, limits: Limits = LIMITS) -> bool:
    name = model.lower()
    return any(part in name for part in limits.left_out_models)
