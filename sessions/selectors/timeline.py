"""A window of a timeline: about a hundred entries around a place, with their records, results, marks and turns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from sessions.engine.flags import Flag
from sessions.engine.keys import key_of
from sessions.engine.marks import Fate, Mark
from sessions.engine.place import POSITION_BITS
from sessions.engine.rows import Record, Row
from sessions.models import Mark as StoredMark
from sessions.models import Transcript, Turn
from sessions.selectors.archive import Reader

WINDOW = 100
LEAD = 12
"""Entries shown above the one that was asked for."""
BYTES = 3 * 1024 * 1024
"""A window ends early when its records are this large."""

_SHOWN, _RESULT = int(Flag.SHOWN), int(Flag.RESULT)
_MASK = (1 << POSITION_BITS) - 1
COLUMNS = 'id, "offset", length, type, detail, at, turn, flags'


@dataclass(frozen=True, slots=True)
class Window:
    rows: tuple[Row, ...]
    results: dict[str, Row]
    """Tool results by tool_use id, those outside the window too."""
    turns: dict[int, Turn]
    earlier: int | None
    """Position of the nearest entry above the window, if there is one."""
    later: int | None
    decoded: int
    """Raw bytes that were decompressed for it."""


def window_at(transcript: Transcript, position: int, *, everything: bool = False) -> Window:
    """The window that a person sees who asked for `position`: a little of what led there, then what follows."""
    lead = _select(transcript, "id < %s", position, "DESC", LEAD + 1, everything)
    start = lead[:LEAD][-1][0] & _MASK if lead else position
    return _window_from(transcript, start, lead[LEAD:], everything=everything)


def window_from(transcript: Transcript, start: int, *, everything: bool = False) -> Window:
    above = _select(transcript, "id < %s", start, "DESC", 1, everything)
    return _window_from(transcript, start, above, everything=everything)


def _window_from(transcript: Transcript, start: int, above: list[tuple[Any, ...]], *, everything: bool) -> Window:
    found = _select(transcript, "id >= %s", start, "ASC", WINDOW + 1, everything)
    rows = _within_bytes(found[:WINDOW])
    later = found[len(rows)][0] & _MASK if len(found) > len(rows) else None
    return _build(transcript, rows, above[0][0] & _MASK if above else None, later)


def window_until(transcript: Transcript, end: int, *, everything: bool = False) -> Window:
    """The window that ends just above position `end`."""
    found = _select(transcript, "id < %s", end, "DESC", WINDOW + 1, everything)
    kept = _within_bytes(found[:WINDOW])
    earlier = found[len(kept)][0] & _MASK if len(found) > len(kept) else None
    return _build(transcript, kept[::-1], earlier, end if end < transcript.entries else None)


def window_last(transcript: Transcript, *, everything: bool = False) -> Window:
    return window_until(transcript, _MASK, everything=everything)


def rows_at(transcript: Transcript, positions: Iterable[int]) -> Window:
    """Just these entries, with the results of their calls."""
    base = transcript.pk << POSITION_BITS
    ids = sorted({base | position for position in positions})
    if not ids:
        return Window((), {}, {}, None, None, 0)
    marks = ",".join(["%s"] * len(ids))
    found = _fetch(f"SELECT {COLUMNS} FROM transcripts_entry WHERE id IN ({marks}) ORDER BY id", ids)
    return _build(transcript, found, None, None)


def _select(
    transcript: Transcript, where: str, position: int, order: str, limit: int, everything: bool
) -> list[tuple[Any, ...]]:
    base = transcript.pk << POSITION_BITS
    shown = "" if everything else f"AND (flags & {_SHOWN}) != 0"
    sql = (
        f"SELECT {COLUMNS} FROM transcripts_entry WHERE id >= %s AND id <= %s AND {where} {shown}"
        f" ORDER BY id {order} LIMIT {limit}"
    )
    return _fetch(sql, [base, base | _MASK, base | position])


def _fetch(sql: str, parameters: Sequence[int]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _within_bytes(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    total = 0
    for number, row in enumerate(rows):
        total += row[2]
        if total > BYTES and number:
            return rows[:number]
    return rows


def _build(transcript: Transcript, found: list[tuple[Any, ...]], earlier: int | None, later: int | None) -> Window:
    reader = Reader(transcript.source_id)
    records = reader.records([(row[1], row[2]) for row in found])
    if not found:
        return Window((), {}, {}, earlier, later, 0)
    marks = _marks(transcript, found[0][0] & _MASK, found[-1][0] & _MASK)
    rows = tuple(_row(row, record, marks) for row, record in zip(found, records, strict=True))
    results = _results(transcript, reader, rows)
    turns = _turns(transcript, {row.turn for row in rows})
    return Window(rows, results, turns, earlier, later, reader.decoded)


def _row(row: tuple[Any, ...], record: Record, marks: Sequence[Mark]) -> Row:
    position = row[0] & _MASK
    mine = tuple(mark for mark in marks if mark.first <= position <= mark.last)
    return Row(position, row[1], row[2], row[3], row[4], row[5], row[6], Flag(row[7]), record, mine)


def _marks(transcript: Transcript, first: int, last: int) -> list[Mark]:
    stored = StoredMark.objects.filter(transcript=transcript, first__lte=last, last__gte=first)
    return [Mark(mark.first, mark.last, Fate(mark.fate), mark.by) for mark in stored]


def tool_ids(record: Record) -> list[str]:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        return []
    ids = [block.get("id") for block in content if isinstance(block, dict)]
    return [one for one in ids if isinstance(one, str)]


def _results(transcript: Transcript, reader: Reader, rows: Sequence[Row]) -> dict[str, Row]:
    """The result rows of the calls in `rows`: beside them as a rule, pages away when calls run in parallel."""
    wanted = {key_of(one): one for row in rows if Flag.CALL in row.flags for one in tool_ids(row.record)}
    if not wanted:
        return {}
    marks = ",".join(["%s"] * len(wanted))
    found = [
        row
        for row in _fetch(
            f"SELECT {COLUMNS}, tool_key FROM transcripts_entry WHERE tool_key IN ({marks}) ORDER BY id", list(wanted)
        )
        if row[7] & _RESULT and row[0] >> POSITION_BITS == transcript.pk
    ]
    reader.fetch([(row[1], row[2]) for row in found])
    fates = _marks(transcript, found[0][0] & _MASK, found[-1][0] & _MASK) if found else []
    results: dict[str, Row] = {}
    for row in found:
        made = _row(row[:8], reader.record(row[1], row[2]), fates)
        # A row is filed under its first result. One that was written again after a resume says the same: the first
        # has the right place.
        for one in [wanted[row[8]], *_answered(made.record)]:
            results.setdefault(one, made)
    return results


def _answered(record: Record) -> list[str]:
    """The calls that a record has results of."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    blocks = content if isinstance(content, list) else []
    ids = [block.get("tool_use_id") for block in blocks if isinstance(block, dict)]
    return [one for one in ids if isinstance(one, str)]


def _turns(transcript: Transcript, numbers: set[int]) -> dict[int, Turn]:
    base = transcript.pk << POSITION_BITS
    turns = Turn.objects.filter(pk__in=[base | number for number in numbers])
    return {turn.pk & _MASK: turn for turn in turns}


def calls_answered_since(transcript: Transcript, position: int) -> list[int]:
    """Positions of the calls above `position` whose results stand at or below it, the latest so many."""
    base = transcript.pk << POSITION_BITS
    found = _fetch(
        f"SELECT id FROM transcripts_entry WHERE id >= %s AND id < %s AND (flags & {int(Flag.CALL)}) != 0"
        " AND tool_key IN (SELECT tool_key FROM transcripts_entry WHERE id >= %s AND id <= %s"
        f" AND tool_key IS NOT NULL AND (flags & {_RESULT}) != 0) ORDER BY id DESC LIMIT {WINDOW}",
        [base, base | position, base | position, base | _MASK],
    )
    return [row[0] & _MASK for row in found]
