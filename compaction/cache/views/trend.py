"""What breaks of the cache cost by day, or by week where the time is long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from django.utils import timezone

from compaction.cache.selectors.report import HOUR, Hour
from inspector.web.columns import Columns, Point, columns
from sessions.text.engine.words import money, plural, tokens

DAYS = 62
"""More are shown as weeks."""
WEEKS = 104


@dataclass(frozen=True, slots=True)
class Trend:
    columns: Columns
    unit: str
    first: str
    last: str
    peak: str


def trend_of(hours: Sequence[Hour]) -> Trend | None:
    """None if there is only one day: that is no trend."""
    days: dict[date, tuple[int, int, float]] = {}
    for one in hours:
        day = _day(one.hour)
        if day is not None:
            count, wasted, cost = days.get(day, (0, 0, 0.0))
            days[day] = (count + one.count, wasted + one.wasted, cost + one.cost)
    if len(days) < 2:
        return None
    first, last = min(days), max(days)
    weekly = (last - first).days > DAYS
    if weekly:
        days, first = _weeks(days), _monday(max(first, last - timedelta(weeks=WEEKS)))
    step = timedelta(days=7 if weekly else 1)
    points = []
    day = first
    while day <= last:
        points.append(_point(day, days.get(day, (0, 0, 0.0)), weekly=weekly))
        day += step
    drawn = columns(points, height=90)
    priced = any(one.cost for one in hours)
    peak = money(drawn.peak) if priced else f"{tokens(drawn.peak)} tokens"
    return Trend(drawn, "week" if weekly else "day", f"{first:%Y-%m-%d}", f"{last:%Y-%m-%d}", peak)


def _point(day: date, found: tuple[int, int, float], *, weekly: bool) -> Point:
    count, wasted, cost = found
    when = f"week of {day:%Y-%m-%d}" if weekly else f"{day:%Y-%m-%d}"
    return Point((cost,), f"{when}: {plural(count, 'break')}, {money(cost)}, {tokens(wasted)} tokens sent again")


def _day(hour: int) -> date | None:
    try:
        return datetime.fromtimestamp(hour * HOUR / 1000, UTC).astimezone(timezone.get_current_timezone()).date()
    except (ValueError, OverflowError, OSError):
        return None


def _weeks(days: dict[date, tuple[int, int, float]]) -> dict[date, tuple[int, int, float]]:
    found: dict[date, tuple[int, int, float]] = {}
    for day, (count, wasted, cost) in days.items():
        before = found.get(_monday(day), (0, 0, 0.0))
        found[_monday(day)] = (before[0] + count, before[1] + wasted, before[2] + cost)
    return found


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())
