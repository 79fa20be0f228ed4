"""The series of a session's requests as columns, with pauses, compactions and breaks marked over it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote

from compaction.cache.engine.costs.cache_summary import cause_title
from compaction.cache.selectors.series import Series, SeriesRequest
from compaction.models import CacheBreak
from inspector.web.columns import Column, Columns, Point, columns
from sessions.text.engine.words import duration, money, plural, tokens

BAND_NAMES = ("read", "written", "fresh")
MOST_FLAGS = 400
"""Only the worst breaks are marked."""


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
    largest: int
    """Prompt, of all requests: a column may stand for several and show another."""


def chart_of(series: Series, breaks: Iterable[CacheBreak], root: str) -> Chart | None:
    if not series.requests:
        return None
    points = [_point(index, request, root) for index, request in enumerate(series.requests)]
    chart_columns = columns(points)
    rows = tuple((_range(column), column) for column in chart_columns.columns)
    return Chart(
        chart_columns,
        tuple(zip(BAND_NAMES, chart_columns.paths, strict=True)),
        tuple(_lines(series, chart_columns, root)),
        tuple(_flags(series, chart_columns, breaks, root)),
        rows,
        max(request.read + request.written + request.fresh for request in series.requests),
    )


def _point(index: int, request: SeriesRequest, root: str) -> Point:
    counts = f"{tokens(request.read)} read, {tokens(request.written)} written, {tokens(request.fresh)} fresh"
    href = f"{root}requests/{quote(request.message_id, safe='')}/"
    return Point(
        (request.read, request.written, request.fresh), f"request {index + 1}: {counts}", href, float(request.written)
    )


def _range(column: Column) -> str:
    if column.count == 1:
        return f"{column.first + 1}"
    return f"{column.first + 1}–{column.first + column.count}"


def _lines(series: Series, drawn: Columns, root: str) -> Iterable[Line]:
    for pause in series.pauses:
        tone = "pause-long" if pause.is_long else "pause"
        yield Line(drawn.x(pause.request_index), tone, f"{duration(pause.length)} without a request")
    for index, position in series.compactions:
        yield Line(drawn.x(index), "boundary", "compacted", f"{root}entries/L{position}/")


def _flags(series: Series, drawn: Columns, breaks: Iterable[CacheBreak], root: str) -> Iterable[Flag]:
    for row in breaks:
        index = series.indexes.get(row.message_id)
        if index is None:
            continue
        cost = f", {money(row.cost)}" if row.cost else ""
        consequence = "expected" if row.expected else f"{plural(row.wasted, 'token')} sent again{cost}"
        label = f"request {index + 1}: {cause_title(row.cause)} ({consequence})"
        href = f"{root}cache/{quote(row.message_id, safe='')}/"
        yield Flag(round(100 * drawn.middle(index) / drawn.width, 3), row.expected, label, href)
