"""The cache in many sessions: what its breaks came to by cause, session, project and day. The database adds up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Count, F, Max, QuerySet, Sum

from compaction.cache.engine.reporting import Loss
from compaction.cache.selectors.losses import losses_of, worst
from compaction.models import CacheBreak, CacheScan
from sessions.models import Transcript

HOUR = 3_600_000
_SUMS = ("requests", "read", "written", "fresh", "wasted", "unpriced", "breaks", "expected")
_COSTS = ("cost", "cost_without", "cost_best", "wasted_cost")
MOST = 15
"""Sessions, and projects, that are listed."""


@dataclass(frozen=True, slots=True)
class Share:
    """What one session, or one project, lost."""

    count: int
    wasted: int
    cost: float | None
    last: int | None

    def plus(self, other: Share) -> Share:
        cost = None if self.cost is None and other.cost is None else (self.cost or 0.0) + (other.cost or 0.0)
        last = max((one for one in (self.last, other.last) if one is not None), default=None)
        return Share(self.count + other.count, self.wasted + other.wasted, cost, last)


@dataclass(frozen=True, slots=True)
class Hour:
    hour: int
    """Since 1970, UTC."""
    count: int
    wasted: int
    cost: float


@dataclass
class Report:
    project: int | None = None

    @property
    def breaks(self) -> QuerySet[CacheBreak]:
        """The unexpected ones."""
        found = CacheBreak.objects.filter(expected=False)
        return found if self.project is None else found.filter(session__project=self.project)

    @cached_property
    def losses(self) -> list[Loss]:
        return losses_of(self.breaks)

    @property
    def worst(self) -> QuerySet[CacheBreak]:
        return worst(self.breaks).select_related("transcript", "session", "session__project")

    @cached_property
    def totals(self) -> dict[str, Any]:
        """Of all sessions that were looked into, as each was added up."""
        scans = CacheScan.objects.all()
        if self.project is not None:
            scans = scans.filter(transcript__project=self.project)
        found = list(scans.values_list("totals", flat=True))
        totals: dict[str, Any] = {name: sum(_number(one.get(name)) for one in found) for name in _SUMS}
        for name in _COSTS:
            known = [float(one[name]) for one in found if isinstance(one.get(name), int | float)]
            totals[name] = sum(known) if known else None
        prompt = totals["read"] + totals["written"] + totals["fresh"]
        return {**totals, "sessions": len(found), "hit_rate": totals["read"] / prompt if prompt else None}

    @cached_property
    def _shares(self) -> list[tuple[Any, int, Share]]:
        """(session, project, what it lost), the worst first."""
        rows = (
            self.breaks.order_by()
            .values("session", "session__project")
            .annotate(count=Count("pk"), tokens=Sum("wasted"), dollars=Sum("cost"), last=Max("at"))
            .order_by(F("dollars").desc(nulls_last=True), "-tokens", "session")
        )
        return [(row["session"], row["session__project"], _share(row)) for row in rows]

    def sessions(self) -> list[tuple[Transcript, Share]]:
        rows = self._shares[:MOST]
        known = Transcript.objects.select_related("project").defer("state", "ruler").in_bulk([pk for pk, _, _ in rows])
        return [(known[pk], share) for pk, _, share in rows if pk in known]

    def projects(self) -> list[tuple[int, Share]]:
        """By id, the worst first."""
        found: dict[int, Share] = {}
        for _, project, share in self._shares:
            found[project] = found[project].plus(share) if project in found else share
        order = sorted(found.items(), key=lambda one: (-(one[1].cost or 0.0), -one[1].wasted))
        return order[:MOST]

    def unseen(self) -> int:
        """Sessions that nobody has looked into yet."""
        found = Transcript.objects.filter(kind=Transcript.Kind.MAIN, cache_breaks=None, requests__gt=0)
        return (found if self.project is None else found.filter(project=self.project)).count()

    def hours(self) -> list[Hour]:
        """By the hour, so that days can be made of them in any time zone."""
        rows = (
            self.breaks.filter(at__isnull=False)
            .order_by()
            .annotate(hour=F("at") / HOUR)
            .values("hour")
            .annotate(count=Count("pk"), tokens=Sum("wasted"), dollars=Sum("cost"))
            .order_by("hour")
        )
        return [Hour(int(row["hour"]), row["count"], row["tokens"] or 0, row["dollars"] or 0.0) for row in rows]


def _share(row: Mapping[str, Any]) -> Share:
    return Share(row["count"], row["tokens"] or 0, row["dollars"], row["last"])


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
