"""Timestamps as milliseconds since 1970, UTC; what cannot be read is unknown."""

from __future__ import annotations

from datetime import UTC, datetime

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_CEILING = 4_102_444_800_000  # the year 2100


def milliseconds(stamp: object) -> int | None:
    if isinstance(stamp, str):
        try:
            moment = datetime.fromisoformat(stamp)
        except ValueError:
            return None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        delta = moment - _EPOCH
        at = (delta.days * 86_400 + delta.seconds) * 1_000 + delta.microseconds // 1_000
        return at if 0 <= at < _CEILING else None
    if isinstance(stamp, int) and not isinstance(stamp, bool) and 0 <= stamp < _CEILING:
        return stamp
    return None
