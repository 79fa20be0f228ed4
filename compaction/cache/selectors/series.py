"""The requests of one thread as their usage tells them, with what stands between them: pauses and compactions."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import NamedTuple

from compaction.cache.engine.calls import LIMITS
from sessions.models import Request, Transcript

PAUSES = 60
"""The longest ones are marked."""


class Asked(NamedTuple):
    position: int
    message_id: str
    at: int | None
    read: int
    written: int
    fresh: int


class Pause(NamedTuple):
    before: int
    """The place of the request that came after it, counted from zero."""
    length: int
    """Milliseconds."""

    @property
    def long(self) -> bool:
        return self.length > LIMITS.one_hour


@dataclass(frozen=True, slots=True)
class Series:
    asked: tuple[Asked, ...]
    pauses: tuple[Pause, ...]
    compactions: tuple[tuple[int, int], ...]
    """(place of the request that came first after it, position of its record)"""
    places: dict[str, int]
    """The id of an answer -> the place of its request."""


def series_of(transcript: Transcript) -> Series:
    """Of the transcript's own thread: sub-agents that were written into it have a cache of their own. One query."""
    rows = Request.objects.filter(transcript=transcript)
    if transcript.kind == Transcript.Kind.MAIN:
        rows = rows.filter(agent="")
    values = rows.order_by("position").values_list(
        "position", "message_id", "at", "cache_read", "cache_write_5m", "cache_write_1h", "input"
    )
    asked = tuple(
        Asked(position, message, at, read, five + hour, fresh)
        for position, message, at, read, five, hour, fresh in values
        if read or five or hour or fresh
    )
    positions = [one.position for one in asked]
    boundaries = [(bisect_left(positions, one), one) for one in transcript.ruler.get("boundaries", ())]
    places = {one.message_id: place for place, one in enumerate(asked)}
    return Series(asked, _pauses(asked), tuple(one for one in boundaries if one[0] < len(asked)), places)


def _pauses(asked: tuple[Asked, ...]) -> tuple[Pause, ...]:
    found = []
    last: int | None = None
    for place, one in enumerate(asked):
        if one.at is not None:
            if last is not None and one.at - last > LIMITS.five_minutes:
                found.append(Pause(place, one.at - last))
            last = one.at
    longest = sorted(found, key=lambda pause: pause.length, reverse=True)[:PAUSES]
    return tuple(sorted(longest))
