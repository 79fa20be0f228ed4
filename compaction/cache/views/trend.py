"""What breaks of the cache cost by day, or by week for long periods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from django.utils import timezone

from compaction.cache.selectors.report import HOUR, HourLoss
from inspector.web.columns import Columns, Point, columns
from sessions.text.engine.words import money, plural, tokens

DAYS = 62
"""Longer periods are shown by week."""
WEEKS = 104


@dataclass(frozen=True, slots=True)
class Trend:
    columns: Columns
    unit: str
    first: str
    last: str
    peak: str


def trend_of(hours: Sequence[HourLoss]) -> Trend | None:
    """None if there is only one day, which is no trend."""
    days: dict[date, tuple[int, int, float]] = {}
    for hour in hours:
        day = _day(hour.hour)
        if day is not None:
            count, wasted, cost = days.get(day, (0, 0, 0.0))
            days[day] = (count + hour.count, wasted + hour.wasted, cost + hour.cost)
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
    trend_columns = columns(points, height=90)
    priced = any(hour.cost for hour in hours)
    peak = money(trend_columns.peak) if priced else f"{tokens(trend_columns.peak)} tokens"
    return Trend(trend_columns, "week" if weekly else "day", f"{first:%Y-%m-%d}", f"{last:%Y-%m-%d}", peak)


def _point(day: date, sums: tuple[int, int, float], *, weekly: bool) -> Point:
    count, wasted, cost = sums
    when = f"week of {day:%Y-%m-%d}" if weekly else f"{day:%Y-%m-%d}"
    return Point((cost,), f"{when}: {plural(count, 'break')}, {money(cost)}, {tokens(wasted)} tokens sent again")


def _day(hour: int) -> date | None:
    try:
        return datetime.fromtimestamp(hour * HOUR / 1000, UTC).astimezone(timezone.get_current_timezone()).date()
    except (ValueError, OverflowError, OSError):
        return None


def _weeks(days: dict[date, tuple[int, int, float]]) -> dict[date, tuple[int, int, float]]:
    weeks: dict[date, tuple[int, int, float]] = {}
    for day, (count, wasted, cost) in days.items():
        week = weeks.get(_monday(day), (0, 0, 0.0))
        weeks[_monday(day)] = (week[0] + count, week[1] + wasted, week[2] + cost)
    return weeks


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())
