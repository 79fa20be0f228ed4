"""What breaks of the prompt cache cost lately, for the first page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, F, Sum

from compaction.models import CacheBreak
from sessions.catalog.selectors.attention import FEW, RECENT_DAYS, local_day
from sessions.catalog.selectors.sessions import day_start
from sessions.models import Transcript


@dataclass(frozen=True, slots=True)
class Lost:
    count: int
    cost: float | None
    sessions: list[tuple[Transcript, float | None]]
    """Those that lost most, with what."""


def cache_lost(now: int) -> Lost:
    since = day_start(local_day(now) - timedelta(days=RECENT_DAYS - 1))
    rows = list(
        CacheBreak.objects.filter(expected=False, at__gte=since)
        .order_by()
        .values("session")
        .annotate(count=Count("pk"), dollars=Sum("cost"), tokens=Sum("wasted"))
        .order_by(F("dollars").desc(nulls_last=True), "-tokens")
    )
    known = [row["dollars"] for row in rows if row["dollars"] is not None]
    worst = rows[:FEW]
    named = Transcript.objects.only("public_id", "title", "first_prompt", "cache_breaks")
    found = named.in_bulk([row["session"] for row in worst]) if worst else {}
    return Lost(
        sum(row["count"] for row in rows),
        sum(known) if known else None,
        [(found[row["session"]], row["dollars"]) for row in worst if row["session"] in found],
    )
