"""The ruler beside a timeline: the context size over the session as coordinates, with strips that can be clicked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

WIDTH, HEIGHT = 1000, 60
STRIPS = 80


@dataclass(frozen=True, slots=True)
class Strip:
    x: float
    width: float
    position: int
    tokens: int | None


@dataclass(frozen=True, slots=True)
class Tick:
    x: float
    position: int


@dataclass(frozen=True, slots=True)
class Ruler:
    line: str
    area: str
    strips: tuple[Strip, ...]
    boundaries: tuple[Tick, ...]
    errors: tuple[Tick, ...]
    peak: int
    entries: int
    mark: float
    """Where the window begins."""

    width = WIDTH
    height = HEIGHT


def ruler(stored: Mapping[str, Any], entries: int, at: int) -> Ruler | None:
    """None when there is nothing to draw: no request with a usage."""
    pending: Sequence[int] = stored.get("pending") or []
    points: Sequence[Sequence[int]] = [*(stored.get("points") or []), *([pending[:2]] if pending else [])]
    if not points or entries < 2:
        return None
    peak = max(tokens for _, tokens in points) or 1
    last = max(1, entries - 1)

    def x(position: int) -> float:
        return round(position / last * WIDTH, 1)

    path = " ".join(f"{x(position)},{round(HEIGHT - tokens / peak * (HEIGHT - 6), 1)}" for position, tokens in points)
    first, end = x(points[0][0]), x(points[-1][0])
    return Ruler(
        line=path,
        area=f"{first},{HEIGHT} {path} {end},{HEIGHT}",
        strips=_strips(points, last),
        boundaries=tuple(Tick(x(position), position) for position in stored.get("boundaries") or []),
        errors=tuple(Tick(x(position), position) for position in stored.get("errors") or []),
        peak=peak,
        entries=entries,
        mark=x(at),
    )


def _strips(points: Sequence[Sequence[int]], last: int) -> tuple[Strip, ...]:
    count = min(STRIPS, last + 1)
    strips, index, tokens = [], 0, None
    for number in range(count):
        start, stop = number * (last + 1) // count, (number + 1) * (last + 1) // count
        while index < len(points) and points[index][0] < stop:
            tokens = points[index][1]
            index += 1
        strips.append(Strip(round(number * WIDTH / count, 1), round(WIDTH / count, 1), start, tokens))
    return tuple(strips)
