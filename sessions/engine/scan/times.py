"""Timestamps as milliseconds since 1970, UTC; what cannot be read is unknown."""

from __future__ import annotations

from datetime import UTC, datetime

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_CEILING = 4_102_444_800_000  # the year 2100
_MINUTES: dict[str, int | None] = {}
_MOST_MINUTES = 100_000


def milliseconds(stamp: object) -> int | None:
    if type(stamp) is str:
        if len(stamp) == 24 and stamp[19] == "." and stamp[23] == "Z":
            # The form that every version writes. Many records share a minute, and its seconds read as one number.
            minute = _MINUTES.get(stamp[:17])
            if minute is None:
                minute = _minute(stamp[:17])
            rest = stamp[17:19] + stamp[20:23]
            if minute is not None and rest.isdecimal():
                return minute + int(rest)
        return _parse(stamp)
    if type(stamp) is int and 0 <= stamp < _CEILING:
        return stamp
    return None


def _minute(text: str) -> int | None:
    if len(_MINUTES) > _MOST_MINUTES:
        _MINUTES.clear()
    minute = _MINUTES[text] = _parse(f"{text}00.000Z")
    return minute


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
