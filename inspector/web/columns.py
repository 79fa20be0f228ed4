"""Geometry of stacked columns: one for each point, or for a group of neighbours if there are too many to draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MOST = 180
"""Columns per chart. More would be narrower than a pixel in a small window, and make the page heavy."""


@dataclass(frozen=True, slots=True)
class Point:
    """A request or a day. `values` are stacked from the bottom in order."""

    values: tuple[float, ...]
    label: str
    href: str = ""
    weight: float = 0.0
    """In each group the point with the largest weight is drawn."""


@dataclass(frozen=True, slots=True)
class Column:
    x: float
    width: float
    point: Point
    first: int
    """Index of its first point."""
    count: int


@dataclass(frozen=True, slots=True)
class Columns:
    width: int
    height: int
    columns: tuple[Column, ...]
    paths: tuple[str, ...]
    """One path for each value of a point, with all its rectangles."""
    peak: float
    each: int
    """Points per column."""
    step: float

    def x(self, place: float) -> float:
        """The left edge of the point at this index."""
        return round(place / self.each * self.step, 2)

    def middle(self, place: int) -> float:
        """The middle of the point's column."""
        return round((place // self.each + 0.5) * self.step, 2)


def columns(points: Sequence[Point], *, width: int = 1000, height: int = 150, most: int = MOST) -> Columns:
    each = max(1, -(-len(points) // most))
    chosen = [_chosen(points, first, each) for first in range(0, len(points), each)]
    peak = max((sum(point.values) for _, point, _ in chosen), default=0.0)
    step = width / max(1, len(chosen))
    gap = min(1.5, step * 0.18)
    drawn = tuple(
        Column(round(step * number, 2), round(step, 2), point, first, count)
        for number, (first, point, count) in enumerate(chosen)
    )
    kinds = len(points[0].values) if points else 0
    paths = tuple(_path(drawn, kind, peak, height, gap) for kind in range(kinds))
    return Columns(width, height, drawn, paths, peak, each, step)


def _chosen(points: Sequence[Point], first: int, each: int) -> tuple[int, Point, int]:
    stretch = points[first : first + each]
    return first, max(stretch, key=lambda point: point.weight), len(stretch)


def _path(drawn: Sequence[Column], kind: int, peak: float, height: int, gap: float) -> str:
    """All rectangles of one tone in one path: a chart of thousands of requests stays small."""
    if not peak:
        return ""
    parts = []
    for column in drawn:
        below = sum(column.point.values[:kind])
        value = column.point.values[kind]
        tall = height * value / peak
        if tall < 0.05:
            continue
        y = height * (1 - (below + value) / peak)
        wide = max(0.4, column.width - gap)
        parts.append(f"M{column.x:.1f} {y:.1f}h{wide:.1f}v{tall:.1f}h-{wide:.1f}z")
    return "".join(parts)
