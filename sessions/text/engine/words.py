"""Numbers as people read them: 12.4k tokens, $0.31, 2m 14s, 3 days ago. An unknown number is the word "unknown", never
0."""

from __future__ import annotations

UNKNOWN = "unknown"

_SECOND = 1000
_MINUTE = 60 * _SECOND
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR
_AGES = (
    (365 * _DAY, "year"),
    (30 * _DAY, "month"),
    (7 * _DAY, "week"),
    (_DAY, "day"),
    (_HOUR, "hour"),
    (_MINUTE, "minute"),
)


def tokens(count: float | None, *, estimate: bool = False) -> str:
    if count is None:
        return UNKNOWN
    size = abs(count)
    if size < 999.5:
        text = f"{count:.0f}"
    elif size < 999_950:
        text = f"{count / 1000:.1f}k"
    elif size < 999_950_000:
        text = f"{count / 1_000_000:.1f}M"
    else:
        text = f"{count / 1_000_000_000:,.1f}B"
    return f"~{text}" if estimate and count else text  # nothing at all needs no estimate


def money(dollars: float | None, *, estimate: bool = False) -> str:
    if dollars is None:
        return UNKNOWN
    size = abs(dollars)
    digits = 2 if size == 0 or size >= 0.01 else 4
    text = f"{'-' if dollars < 0 else ''}${size:,.{digits}f}"
    return f"~{text}" if estimate else text


def duration(milliseconds: float | None, *, estimate: bool = False) -> str:
    if milliseconds is None:
        return UNKNOWN
    sign = "-" if milliseconds < 0 else ""
    text = sign + _span(abs(milliseconds))
    return f"~{text}" if estimate else text


def _span(milliseconds: float) -> str:
    if milliseconds < 999.5:
        return f"{milliseconds:.0f}ms"
    if milliseconds < 9_950:
        return f"{milliseconds / 1000:.1f}s"
    seconds = round(milliseconds / 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    for large, small, units in ((days, hours, "dh"), (hours, minutes, "hm"), (minutes, seconds, "ms")):
        if large:
            return f"{large}{units[0]} {small}{units[1]}"
    return f"{seconds}s"


def ago(moment: float | None, now: float) -> str:
    """The age of a moment; both in milliseconds since 1970."""
    if moment is None:
        return UNKNOWN
    past = now - moment
    for size, unit in _AGES:
        if abs(past) >= size:
            age = plural(int(abs(past) // size), unit)
            return f"{age} ago" if past > 0 else f"in {age}"
    return "just now"


def size(count: float | None, *, estimate: bool = False) -> str:
    if count is None:
        return UNKNOWN
    text = _size(count)
    return f"~{text}" if estimate else text


def _size(count: float) -> str:
    if count < 1024:
        return f"{count:.0f} B"
    for unit in ("KB", "MB", "GB"):
        count /= 1024
        if count < 9.95:
            return f"{count:.1f} {unit}"
        if count < 1023.5:
            return f"{count:.0f} {unit}"
    return f"{count / 1024:,.1f} TB"


def plural(count: int, noun: str, many: str = "") -> str:
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"
