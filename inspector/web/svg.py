"""Geometry of charts: numbers in, coordinates out. The templates only print them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a bar, in percent of its width. `tone` is a CSS class: read, written, fresh, output, ..."""

    tone: str
    label: str
    value: int
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class TokenBar:
    segments: tuple[Segment, ...]
    total: int
    tick: float | None
    """Position of a threshold, in percent."""


@dataclass(frozen=True, slots=True)
class Dot:
    x: float
    y: float
    left: float
    """The left edge of the strip that reacts to the pointer."""
    value: float
    label: str
    href: str


@dataclass(frozen=True, slots=True)
class Series:
    width: int
    height: int
    line: str
    area: str
    dots: tuple[Dot, ...]
    step: float
    """The distance between two points, and the width of a strip."""
    peak: float


def token_bar(parts: Sequence[tuple[str, str, int]], *, limit: int = 0, threshold: int = 0) -> TokenBar:
    """A stacked bar of (tone, label, value) parts. Its full width is `limit`, or else the sum."""
    total = sum(value for _, _, value in parts)
    scale = max(total, limit, threshold, 1)
    segments = []
    x = 0.0
    for tone, label, value in parts:
        width = round(100 * value / scale, 3)
        if value > 0:
            segments.append(Segment(tone=tone, label=label, value=value, x=round(x, 3), width=width))
        x += width
    tick = round(100 * threshold / scale, 3) if threshold else None
    return TokenBar(segments=tuple(segments), total=total, tick=tick)


def series(points: Sequence[tuple[str, float, str]], *, width: int = 600, height: int = 80) -> Series:
    """A line over (label, value, href) points at equal distances, with zero at the bottom."""
    peak = max((value for _, value, _ in points), default=0)
    step = width / max(1, len(points))
    dots = tuple(
        Dot(
            x=round(step * (number + 0.5), 2),
            y=round(height - (height - 4) * value / peak if peak else height, 2),
            left=round(step * number, 2),
            value=value,
            label=label,
            href=href,
        )
        for number, (label, value, href) in enumerate(points)
    )
    line = " ".join(f"{dot.x},{dot.y}" for dot in dots)
    area = f"{dots[0].x},{height} {line} {dots[-1].x},{height}" if dots else ""
    return Series(width=width, height=height, line=line, area=area, dots=dots, step=round(step, 2), peak=peak)
