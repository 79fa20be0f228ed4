"""What breaks of the prompt cache cost in the last days, for the first page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, F, Sum

from compaction.models import CacheBreak
from sessions.catalog.selectors.attention import FEW, RECENT_DAYS, local_day
from sessions.catalog.selectors.sessions import day_start
from sessions.models import Transcript


@dataclass(frozen=True, slots=True)
class RecentLosses:
    count: int
    cost: float | None
    sessions: list[tuple[Transcript, float | None]]
    """Those that lost most, each with its cost."""


def recent_losses(now: int) -> RecentLosses:
    since = day_start(local_day(now) - timedelta(days=RECENT_DAYS - 1))
    rows = list(
        CacheBreak.objects.filter(expected=False, at__gte=since)
        .order_by()
        .values("session")
        .annotate(count=Count("pk"), dollars=Sum("cost"), tokens=Sum("wasted"))
        .order_by(F("dollars").desc(nulls_last=True), "-tokens")
    )
    costs = [row["dollars"] for row in rows if row["dollars"] is not None]
    worst = rows[:FEW]
    transcripts = Transcript.objects.only("public_id", "title", "first_prompt", "cache_breaks")
    sessions = transcripts.in_bulk([row["session"] for row in worst]) if worst else {}
    return RecentLosses(
        sum(row["count"] for row in rows),
        sum(costs) if costs else None,
        [(sessions[row["session"]], row["dollars"]) for row in worst if row["session"] in sessions],
    )
