"""The series of a session's requests as columns, with pauses, compactions and breaks marked over it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote

from compaction.cache.engine.reporting import title_of
from compaction.cache.selectors.series import Asked, Series
from compaction.models import CacheBreak
from inspector.web.columns import (
    Column,
    Columns,
    Point,
    columns,
)
from sessions.text.engine.words import (
    duration,
    money,
    plural,
    tokens,
)

TONES = ("read", "written", "fresh")
MARKS = 400
"""Breaks that are marked: the worst."""


@dataclass(frozen=True, slots=True)
class Line:
    x: float
    tone: str
    label: str
    href: str = ""


@dataclass(frozen=True, slots=True)
class Flag:
    x: float
    """In percent of the width."""
    expected: bool
    label: str
    href: str


@dataclass(frozen=True, slots=True)
class Chart:
    columns: Columns
    paths: tuple[tuple[str, str], ...]
    lines: tuple[Line, ...]
    flags: tuple[Flag, ...]
    rows: tuple[tuple[str, Column], ...]
    """(label, column), for the table."""


def chart_of(series: Series, breaks: Iterable[CacheBreak], root: str) -> Chart | None:
    if not series.asked:
        return None
    points = [_point(place, one, root) for place, one in enumerate(series.asked)]
    drawn = columns(points)
    rows = tuple((_range(column), column) for column in drawn.columns)
    return Chart(
        drawn,
        tuple(zip(TONES, drawn.paths, strict=True)),
        tuple(_lines(series, drawn, root)),
        tuple(_flags(series, drawn, breaks, root)),
        rows,
    )


def _point(place: int, one: Asked, root: str) -> Point:
    said = f"{tokens(one.read)} read, {tokens(one.written)} written, {tokens(one.fresh)} fresh"
    href = f"{root}requests/{quote(one.message_id, safe='')}/"
    return Point((one.read, one.written, one.fresh), f"request {place + 1}: {said}", href, float(one.written))


def _range(column: Column) -> str:
    if column.count == 1:
        return f"{column.first + 1}"
    return f"{column.first + 1}–{column.first + column.count}"


def _lines(series: Series, drawn: Columns, root: str) -> Iterable[Line]:
    for pause in series.pauses:
        tone = "pause-long" if pause.long else "pause"
        yield Line(drawn.x(pause.before), tone, f"{duration(pause.length)} without a request")
    for place, position in series.compactions:
        yield Line(drawn.x(place), "boundary", "compacted", f"{root}entries/L{position}/")


def _flags(series: Series, drawn: Columns, breaks: Iterable[CacheBreak], root: str) -> Iterable[Flag]:
    for one in breaks:
        place = series.places.get(one.message_id)
        if place is None:
            continue
        cost = f", {money(one.cost)}" if one.cost else ""
        what = "expected" if one.expected else f"{plural(one.wasted, 'token')} sent again{cost}"
        label = f"request {place + 1}: {title_of(one.cause)} ({what})"
        href = f"{root}cache/{quote(one.message_id, safe='')}/"
        yield Flag(round(100 * drawn.middle(place) / drawn.width, 3), one.expected, label, href)
