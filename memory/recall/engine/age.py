"""The age of a memory, as it is worded in the injected text."""

from __future__ import annotations

from datetime import UTC, datetime

from sessions.text.engine.words import plural

_LATEST = datetime(2199, 12, 31, tzinfo=UTC)


def saved_at(mtime_ns: int) -> datetime:
    """The modification time of the file, which the agent goes by, whatever the header says. Never raises."""
    return datetime.fromtimestamp(min(max(mtime_ns / 1e9, 0), _LATEST.timestamp()), tz=UTC)


def age(saved: datetime, now: datetime) -> str:
    """In whole days: `saved 3 days ago`. A time in the future counts as today."""
    days = (now - saved).days
    if days < 1:
        return "saved today"
    return "saved yesterday" if days == 1 else f"saved {plural(days, 'day')} ago"
