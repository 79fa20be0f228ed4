"""The usage of the requests of one thread, with the pauses and compactions between them."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import NamedTuple

from compaction.cache.engine.requests.calls import LIMITS
from sessions.models import Request, Transcript

MOST_PAUSES = 60
"""The longest pauses are marked."""


class SeriesRequest(NamedTuple):
    position: int
    message_id: str
    at: int | None
    read: int
    written: int
    fresh: int


class Pause(NamedTuple):
    request_index: int
    """Of the request after it, counted from zero."""
    length: int
    """Milliseconds."""

    @property
    def is_long(self) -> bool:
        return self.length > LIMITS.one_hour


@dataclass(frozen=True, slots=True)
class Series:
    requests: tuple[SeriesRequest, ...]
    pauses: tuple[Pause, ...]
    compactions: tuple[tuple[int, int], ...]
    """(index of the first request after it, position of its record)"""
    indexes: dict[str, int]
    """The id of an answer -> the index of its request."""


def series_of(transcript: Transcript) -> Series:
    """Without sub-agents that were written into the same file: they have a cache of their own. One query."""
    rows = Request.objects.filter(transcript=transcript)
    if transcript.kind == Transcript.Kind.MAIN:
        rows = rows.filter(agent="")
    values = rows.order_by("position").values_list(
        "position", "message_id", "at", "cache_read", "cache_write_5m", "cache_write_1h", "input"
    )
    requests = tuple(
        SeriesRequest(position, message, at, read, five + hour, fresh)
        for position, message, at, read, five, hour, fresh in values
        if read or five or hour or fresh
    )
    positions = [request.position for request in requests]
    boundaries = [(bisect_left(positions, boundary), boundary) for boundary in transcript.ruler.get("boundaries", ())]
    indexes = {request.message_id: index for index, request in enumerate(requests)}
    return Series(
        requests, _pauses(requests), tuple(boundary for boundary in boundaries if boundary[0] < len(requests)), indexes
    )


def _pauses(requests: tuple[SeriesRequest, ...]) -> tuple[Pause, ...]:
    pauses = []
    last_at: int | None = None
    for index, request in enumerate(requests):
        if request.at is not None:
            if last_at is not None and request.at - last_at > LIMITS.five_minutes:
                pauses.append(Pause(index, request.at - last_at))
            last_at = request.at
    longest = sorted(pauses, key=lambda pause: pause.length, reverse=True)[:MOST_PAUSES]
    return tuple(sorted(longest))
