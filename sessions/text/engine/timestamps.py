"""Milliseconds since 1970 as ISO 8601 in UTC, for scripts."""

from __future__ import annotations

from datetime import UTC, datetime


def iso(milliseconds: int | None) -> str | None:
    if milliseconds is None:
        return None
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
