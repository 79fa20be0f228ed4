"""Timestamps as milliseconds since 1970, UTC. One that cannot be read is unknown."""

from __future__ import annotations

from datetime import UTC, datetime

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_CEILING = 4_102_444_800_000  # the year 2100
_ROUNDING = 0.001
"""Of a millisecond: more than the error of the floating number, less than any digit that is written."""


def milliseconds(stamp: object) -> int | None:
    if type(stamp) is str:
        return _parse(stamp)
    if type(stamp) is int and 0 <= stamp < _CEILING:
        return stamp
    return None


def milliseconds_of(moment: datetime) -> int | None:
    """`moment` knows its time zone."""
    since_epoch = int(moment.timestamp() * 1_000 + _ROUNDING)
    return since_epoch if 0 <= since_epoch < _CEILING else None


def _parse(stamp: str) -> int | None:
    try:
        moment = datetime.fromisoformat(stamp)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    delta = moment - _EPOCH
    since_epoch = (delta.days * 86_400 + delta.seconds) * 1_000 + delta.microseconds // 1_000
    return since_epoch if 0 <= since_epoch < _CEILING else None
