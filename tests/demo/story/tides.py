"""The same tides as the fictional program computes, for the long tables in its output."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_SPEEDS = {"M2": 28.9841042, "S2": 30.0, "N2": 28.4397295, "K1": 15.0410686, "O1": 13.9430356}
STATIONS = {
    "port-hallow": (
        3.12,
        (("M2", 1.8431, 142.71), ("S2", 0.612, 188.04), ("N2", 0.3587, 121.93), ("K1", 0.0684, 112.65)),
    ),
    "skerry-point": (
        2.44,
        (("M2", 1.2274, 301.15), ("S2", 0.4419, 339.86), ("N2", 0.2502, 279.38), ("O1", 0.0997, 14.73)),
    ),
    "gull-haven": (1.05, (("M2", 0.5321, 60.12), ("S2", 0.193, 84.55), ("N2", 0.1104, 44.81), ("K1", 0.0419, 44.2))),
}


def height(station: str, moment: datetime) -> float:
    datum, parts = STATIONS[station]
    hours = (moment - _EPOCH).total_seconds() / 3600
    return datum + sum(size * math.cos(math.radians(_SPEEDS[name] * hours - phase)) for name, size, phase in parts)


def weather(hour: int) -> float:
    """What wind and pressure add, in metres: smooth, small and always the same."""
    return 0.031 * math.sin(hour / 17.3) + 0.022 * math.sin(hour / 5.7 + 1.1) + 0.014 * math.sin(hour / 61.0)


def gauge(station: str, first: str, hours: int) -> str:
    """Hourly predictions and gauge readings as CSV: moment, predicted, observed, residual."""
    start = datetime.fromisoformat(first).replace(tzinfo=UTC)
    lines = ["utc,predicted,observed,residual"]
    for hour in range(hours):
        moment = start + timedelta(hours=hour)
        predicted, more = height(station, moment), weather(hour)
        lines.append(f"{moment:%Y-%m-%dT%H:%MZ},{predicted:.3f},{predicted + more:.3f},{more:+.3f}")
    return "\n".join(lines) + "\n"


def year_report() -> str:
    """A report that is too large for the conversation: one line per station and 36 hours of a year, then the worst."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    lines = []
    for number, station in enumerate(STATIONS):
        for step in range(0, 365 * 24, 36):
            moment = start + timedelta(hours=step)
            level, more = height(station, moment), weather(step + 400 * number)
            lines.append(f"{moment:%Y-%m-%d %H:%M}Z {station:<13} level {level:6.3f}  residual {more:+.3f}")
    lines.insert(700, "note: bathymetry of the outer bar is from 1998; residuals there are not ours")
    lines.append("worst before the fix: 2026-03-29 01:00 local +0.760, 2026-10-25 02:00 local -0.371")
    lines.append("worst after the fix:  2026-02-11 03:00Z skerry-point +0.062")
    return "\n".join(lines) + "\n"
