"""Which transcripts the agent will delete next, according to its retention setting."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import orjson
from django.db.models import QuerySet

from sessions.catalog.selectors.sessions import current_sessions
from sessions.models import Source, Transcript
from sessions.transcripts.engine.paths import encode_path

DAY_MS = 86_400_000
WARNING_DAYS = 5


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """How long the agent keeps a transcript after the last write, and where its transcripts are."""

    projects: Path
    days: int
    stated: bool
    """False if the agent's settings do not say, so that its default applies."""


@dataclass(frozen=True, slots=True)
class ExpiringSession:
    transcript: Transcript
    written_at: int
    days_left: float
    """Negative if the day has passed: the agent deletes the file when it starts."""

    @property
    def whole_days(self) -> int:
        return math.floor(self.days_left)


def retention_policy(config: Path, *, default: int) -> RetentionPolicy:
    """Reads `cleanupPeriodDays` from the agent's settings. If it cannot be read, the default applies."""
    try:
        days = orjson.loads((config / "settings.json").read_bytes())["cleanupPeriodDays"]
    except (OSError, orjson.JSONDecodeError, KeyError, TypeError):
        days = None
    stated = isinstance(days, int) and not isinstance(days, bool) and 0 <= days <= 36_500
    return RetentionPolicy(projects=config / "projects", days=days if stated else default, stated=stated)


def expiring_sessions(policy: RetentionPolicy, *, now: int) -> QuerySet[Transcript]:
    """Sessions whose file the agent will delete soon. It deletes only files in its own directory."""
    written_before = now - (policy.days - WARNING_DAYS) * DAY_MS
    return (
        current_sessions()
        .filter(
            source__state=Source.State.PRESENT,
            source__path__startswith=f"{encode_path(policy.projects)}/",
            source__mtime_ns__lte=written_before * 1_000_000,
        )
        .select_related("source", "project")
        .defer("ruler", "state", "meta")
        .order_by("source__mtime_ns", "id")
    )


def vanished_sessions() -> QuerySet[Transcript]:
    """Sessions whose file was deleted, so that only the archive has them."""
    return (
        current_sessions()
        .filter(source__state=Source.State.VANISHED)
        .select_related("source", "project")
        .defer("ruler", "state", "meta")
        .order_by("-last_at", "-id")
    )


def with_days_left(sessions: QuerySet[Transcript], policy: RetentionPolicy, *, now: int) -> list[ExpiringSession]:
    written = ((transcript, transcript.source.mtime_ns // 1_000_000) for transcript in sessions)
    return [
        ExpiringSession(transcript, written_at, (written_at + policy.days * DAY_MS - now) / DAY_MS)
        for transcript, written_at in written
    ]
