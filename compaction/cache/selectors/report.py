"""The cache in many sessions: what its breaks cost by cause, session, project and day. The database adds up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Count, F, Max, QuerySet, Sum

from compaction.cache.engine.costs.cache_summary import Loss
from compaction.cache.selectors.losses import losses_of, order_by_cost
from compaction.models import CacheBreak, CacheScan
from sessions.catalog.selectors.sessions import current_sessions
from sessions.models import Transcript

HOUR = 3_600_000
_SUMS = ("requests", "read", "written", "fresh", "wasted", "unpriced", "breaks", "expected")
_COSTS = ("cost", "cost_without", "cost_best", "wasted_cost")
MOST_LISTED = 15
"""Sessions, and projects, that are listed."""


@dataclass(frozen=True, slots=True)
class LossShare:
    """What one session or one project lost."""

    count: int
    wasted: int
    cost: float | None
    last: int | None

    def plus(self, other: LossShare) -> LossShare:
        cost = None if self.cost is None and other.cost is None else (self.cost or 0.0) + (other.cost or 0.0)
        last = max((time for time in (self.last, other.last) if time is not None), default=None)
        return LossShare(self.count + other.count, self.wasted + other.wasted, cost, last)


@dataclass(frozen=True, slots=True)
class HourLoss:
    hour: int
    """Hours since 1970, UTC."""
    count: int
    wasted: int
    cost: float


@dataclass
class CacheReport:
    project: int | None = None

    @property
    def breaks(self) -> QuerySet[CacheBreak]:
        """The unexpected ones."""
        breaks = CacheBreak.objects.filter(expected=False)
        return breaks if self.project is None else breaks.filter(session__project=self.project)

    @cached_property
    def losses(self) -> list[Loss]:
        return losses_of(self.breaks)

    @property
    def worst(self) -> QuerySet[CacheBreak]:
        return order_by_cost(self.breaks).select_related("transcript", "session", "session__project")

    @cached_property
    def totals(self) -> dict[str, Any]:
        """The sums of the totals of all scanned sessions."""
        scans = CacheScan.objects.all()
        if self.project is not None:
            scans = scans.filter(transcript__project=self.project)
        scanned = list(scans.values_list("totals", flat=True))
        totals: dict[str, Any] = {
            name: sum(_as_count(session_totals.get(name)) for session_totals in scanned) for name in _SUMS
        }
        for name in _COSTS:
            costs = [
                float(session_totals[name])
                for session_totals in scanned
                if isinstance(session_totals.get(name), int | float)
            ]
            totals[name] = sum(costs) if costs else None
        prompt = totals["read"] + totals["written"] + totals["fresh"]
        return {**totals, "sessions": len(scanned), "hit_rate": totals["read"] / prompt if prompt else None}

    @cached_property
    def _shares(self) -> list[tuple[Any, int, LossShare]]:
        """(session, project, share), the worst first."""
        rows = (
            self.breaks.order_by()
            .values("session", "session__project")
            .annotate(count=Count("pk"), tokens=Sum("wasted"), dollars=Sum("cost"), last=Max("at"))
            .order_by(F("dollars").desc(nulls_last=True), "-tokens", "session")
        )
        return [(row["session"], row["session__project"], _loss_share(row)) for row in rows]

    def sessions(self) -> list[tuple[Transcript, LossShare]]:
        rows = self._shares[:MOST_LISTED]
        sessions = (
            Transcript.objects.select_related("project").defer("state", "ruler").in_bulk([pk for pk, _, _ in rows])
        )
        return [(sessions[pk], share) for pk, _, share in rows if pk in sessions]

    def projects(self) -> list[tuple[int, LossShare]]:
        """By id, the worst first."""
        shares: dict[int, LossShare] = {}
        for _, project, share in self._shares:
            shares[project] = shares[project].plus(share) if project in shares else share
        order = sorted(shares.items(), key=lambda item: (-(item[1].cost or 0.0), -item[1].wasted))
        return order[:MOST_LISTED]

    def unscanned_count(self) -> int:
        """The number of sessions that were never scanned."""
        sessions = current_sessions().filter(cache_breaks=None, requests__gt=0)
        return (sessions if self.project is None else sessions.filter(project=self.project)).count()

    def hours(self) -> list[HourLoss]:
        """By the hour, so that they can be added up to days in any time zone."""
        rows = (
            self.breaks.filter(at__isnull=False)
            .order_by()
            .annotate(hour=F("at") / HOUR)
            .values("hour")
            .annotate(count=Count("pk"), tokens=Sum("wasted"), dollars=Sum("cost"))
            .order_by("hour")
        )
        return [HourLoss(int(row["hour"]), row["count"], row["tokens"] or 0, row["dollars"] or 0.0) for row in rows]


def _loss_share(row: Mapping[str, Any]) -> LossShare:
    return LossShare(row["count"], row["tokens"] or 0, row["dollars"], row["last"])


def _as_count(value: object) -> int:
    return value if isinstance(value, int) else 0
