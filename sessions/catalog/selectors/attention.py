"""Facts for the home page: totals, sessions per day, and what needs attention."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from django.db.models import Count, Q, QuerySet, Sum
from django.utils import timezone

from sessions.catalog.selectors.odd import count_unknown_names
from sessions.catalog.selectors.retention import (
    ExpiringSession,
    RetentionPolicy,
    expiring_sessions,
    vanished_sessions,
    with_days_left,
)
from sessions.catalog.selectors.sessions import (
    Filters,
    SessionLine,
    current_sessions,
    day_start,
    filtered_sessions,
    session_lines,
)
from sessions.models import Request, Source, Transcript

RECENT_DAYS = 7
FEW = 5
"""Examples shown of each kind; a link leads to the others."""


@dataclass(frozen=True, slots=True)
class Totals:
    sessions: int
    agents: int
    requests: int
    fresh: int
    cache_read: int
    cache_written: int
    output: int
    cost: float
    unpriced: int

    @property
    def tokens(self) -> int:
        return self.fresh + self.cache_read + self.cache_written + self.output


@dataclass(frozen=True, slots=True)
class Attention:
    failing: list[SessionLine]
    failing_count: int
    failing_since: date
    broken_lines: int
    broken_sessions: int
    unknown_names: int
    expiring: list[ExpiringSession]
    expiring_count: int
    vanished: int
    unpriced: list[tuple[str, int]]
    """Models without a known price, with their requests."""

    @property
    def is_empty(self) -> bool:
        counts = (self.failing_count, self.broken_lines, self.unknown_names, self.expiring_count, self.vanished)
        return not any(counts) and not self.unpriced


def load_totals() -> Totals:
    """Totals of everything imported, including sub-agents. A request that several files repeat counts once."""
    sums = _current().aggregate(
        sessions=Count("id", filter=Q(kind=Transcript.Kind.MAIN)),
        agents=Count("id", filter=Q(kind=Transcript.Kind.AGENT)),
        requests=Sum("requests", default=0),
        fresh=Sum("input", default=0),
        cache_read=Sum("cache_read", default=0),
        cache_written=Sum("cache_write_5m", default=0) + Sum("cache_write_1h", default=0),
        output=Sum("output", default=0),
        cost=Sum("cost", default=0.0),
        unpriced=Sum("unpriced", default=0),
    )
    return Totals(**sums)


def daily_sessions(days: int, *, now: int) -> list[tuple[date, int]]:
    """How many sessions were last active on each of the last `days` days."""
    today = local_day(now)
    first = today - timedelta(days=days - 1)
    last_times = current_sessions().filter(last_at__gte=day_start(first)).values_list("last_at", flat=True)
    counts = Counter(local_day(moment) for moment in last_times if moment is not None)
    return [(day, counts[day]) for day in (first + timedelta(days=number) for number in range(days))]


def load_attention(policy: RetentionPolicy, *, now: int) -> Attention:
    since = local_day(now) - timedelta(days=RECENT_DAYS - 1)
    failing = filtered_sessions(Filters(failed=True, since=since), now=now)
    expiring = expiring_sessions(policy, now=now)
    broken = _current().filter(bad_lines__gt=0).aggregate(lines=Sum("bad_lines", default=0), files=Count("id"))
    return Attention(
        failing=session_lines(failing, sort="-errors", start=0, stop=FEW, now=now),
        failing_count=failing.count(),
        failing_since=since,
        broken_lines=broken["lines"],
        broken_sessions=broken["files"],
        unknown_names=count_unknown_names(),
        expiring=with_days_left(expiring[:FEW], policy, now=now),
        expiring_count=expiring.count(),
        vanished=vanished_sessions().count(),
        unpriced=unpriced_models(),
    )


def unpriced_models() -> list[tuple[str, int]]:
    unpriced = Request.objects.filter(transcript__in=_current().filter(unpriced__gt=0), cost__isnull=True, owned=True)
    models = unpriced.order_by().values("model").annotate(requests=Count("id")).order_by("-requests", "model")
    return list(models.values_list("model", "requests"))


def local_day(moment: int) -> date:
    return timezone.localtime(datetime.fromtimestamp(moment / 1000, UTC)).date()


def _current() -> QuerySet[Transcript]:
    return Transcript.objects.exclude(source__state=Source.State.REPLACED)
