"""Coordinates of the ruler beside a timeline: the context size over the session, in strips that can be clicked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

WIDTH, HEIGHT = 1000, 60
STRIPS = 80
ERROR_HEIGHT = 14


@dataclass(frozen=True, slots=True)
class Strip:
    """A column that leads to its first boundary, or to its first entry if it has none."""

    x: float
    width: float
    position: int
    tokens: int | None
    boundaries: int
    errors: int


@dataclass(frozen=True, slots=True)
class Tick:
    x: float
    position: int


@dataclass(frozen=True, slots=True)
class Ruler:
    line: str
    """Begins and ends at the bottom, so that the area below it can be filled."""
    strips: tuple[Strip, ...]
    boundaries: tuple[Tick, ...]
    errors: tuple[Tick, ...]
    peak: int
    entries: int
    window_x: float
    """Where the window of the timeline begins."""

    width = WIDTH
    height = HEIGHT

    @property
    def boundary_lines(self) -> str:
        """One path for all of them: a long session has hundreds."""
        return "".join(f"M{tick.x:g} 0V{HEIGHT}" for tick in self.boundaries)

    @property
    def error_lines(self) -> str:
        return "".join(f"M{tick.x:g} {HEIGHT}v-{ERROR_HEIGHT}" for tick in self.errors)


def build_ruler(stored: Mapping[str, Any], entries: int, window_start: int) -> Ruler | None:
    """None if no request has a usage."""
    pending: Sequence[int] = stored.get("pending") or []
    points: Sequence[Sequence[int]] = [*(stored.get("points") or []), *([pending[:2]] if pending else [])]
    if not points or entries < 2:
        return None
    peak = max(tokens for _, tokens in points) or 1
    last = max(1, entries - 1)
    boundaries: Sequence[int] = stored.get("boundaries") or []
    errors: Sequence[int] = stored.get("errors") or []

    def x(position: float) -> float:
        return round(position / last * WIDTH, 1)

    # Zero before the first request. The size of the last one holds to the end, whose edge lies outside the picture.
    whole = [(0, 0), (points[0][0], 0), *points, (last * 1.01, points[-1][1]), (last * 1.01, 0)]
    path = " ".join(f"{x(position):g},{HEIGHT - tokens / peak * (HEIGHT - 6):.0f}" for position, tokens in whole)
    return Ruler(
        line=path,
        strips=_strips(points, boundaries, errors, last),
        boundaries=tuple(Tick(x(position), position) for position in boundaries),
        errors=tuple(Tick(x(position), position) for position in errors),
        peak=peak,
        entries=entries,
        window_x=x(window_start),
    )


def _strips(
    points: Sequence[Sequence[int]], boundaries: Sequence[int], errors: Sequence[int], last: int
) -> tuple[Strip, ...]:
    count = min(STRIPS, last + 1)
    strips, index, tokens = [], 0, None
    for number in range(count):
        start, stop = number * (last + 1) // count, (number + 1) * (last + 1) // count
        while index < len(points) and points[index][0] < stop:
            tokens = points[index][1]
            index += 1
        within = [position for position in boundaries if start <= position < stop]
        failed = sum(start <= position < stop for position in errors)
        left, width = round(number * WIDTH / count, 1), round(WIDTH / count, 1)
        strips.append(Strip(left, width, within[0] if within else start, tokens, len(within), failed))
    return tuple(strips)
