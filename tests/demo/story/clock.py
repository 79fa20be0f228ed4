"""Time in the story: it only moves when the story says so."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class Clock:
    def __init__(self, start: str) -> None:
        self.now = datetime.fromisoformat(start).replace(tzinfo=UTC)
        self.start = self.now

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def until(self, other: Clock) -> None:
        """Waits for somebody else to be done."""
        self.now = max(self.now, other.now + timedelta(seconds=1))

    def stamp(self, back: float = 0.0) -> str:
        """Now, or `back` seconds ago, as the records write it."""
        moment = self.now - timedelta(seconds=back)
        return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"

    def milliseconds(self) -> int:
        return round(self.now.timestamp() * 1000)

    def elapsed(self) -> int:
        """Milliseconds since the start."""
        return round((self.now - self.start).total_seconds() * 1000)
