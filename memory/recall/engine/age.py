"""How old a memory is, in the words in which it is injected."""

from __future__ import annotations

from datetime import UTC, datetime

from sessions.text.engine.words import plural

_LATEST = datetime(2199, 12, 31, tzinfo=UTC)


def saved_at(mtime_ns: int) -> datetime:
    """The time of the file: the agent goes by it, whatever a header says. Never raises."""
    return datetime.fromtimestamp(min(max(mtime_ns / 1e9, 0), _LATEST.timestamp()), tz=UTC)


def age(saved: datetime, now: datetime) -> str:
    """In whole days: `saved 3 days ago`. What seems to come from the future was saved today."""
    days = (now - saved).days
    if days < 1:
        return "saved today"
    return "saved yesterday" if days == 1 else f"saved {plural(days, 'day')} ago"
