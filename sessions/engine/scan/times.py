"""Timestamps as milliseconds since 1970, UTC; what cannot be read is unknown."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_CEILING = 4_102_444_800_000  # the year 2100


def milliseconds(stamp: object) -> int | None:
    if type(stamp) is str:
        if len(stamp) == 24 and stamp[19] == "." and stamp[23] == "Z":
            # The form that every version writes: thousands of records share a minute.
            minute = _parse(stamp[:16] + ":00.000Z")
            seconds, rest = stamp[17:19], stamp[20:23]
            if minute is not None and seconds.isdigit() and rest.isdigit() and stamp[16] == ":":
                return minute + int(seconds) * 1000 + int(rest)
        return _parse(stamp)
    if type(stamp) is int and 0 <= stamp < _CEILING:
        return stamp
    return None


@lru_cache(maxsize=4096)
def _parse(stamp: str) -> int | None:
    try:
        moment = datetime.fromisoformat(stamp)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    delta = moment - _EPOCH
    at = (delta.days * 86_400 + delta.seconds) * 1_000 + delta.microseconds // 1_000
    return at if 0 <= at < _CEILING else None
