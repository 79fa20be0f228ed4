"""A window of a timeline: about a hundred entries with their records, results, marks and turns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b

from django.db import connection
from django.db.models import Q

from sessions.archive.selectors.records import Reader
from sessions.models import Mark as StoredMark
from sessions.models import Transcript, Turn
from sessions.timeline.engine.cards.records.bars import is_bar, is_summary
from sessions.transcripts.engine.entry_ids import POSITION_BITS, POSITION_MASK
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.keys import key_of
from sessions.transcripts.engine.marks import Fate, Mark
from sessions.transcripts.engine.rows import ENTRY_COLUMNS, EntryRow, Record, Row, make_row
from sessions.weights.engine import BoundarySize
from sessions.weights.selectors import weight_table

WINDOW = 100
LEAD = 12
"""Entries shown above the requested one."""
BYTES = 3 * 1024 * 1024
"""A window ends early if its records are larger than this."""

_SHOWN, _CALL, _RESULT = int(Flag.SHOWN), int(Flag.CALL), int(Flag.RESULT)


@dataclass(frozen=True, slots=True)
class Window:
    rows: tuple[Row, ...]
    results: dict[str, Row]
    """Tool results by tool_use id, also from outside the window."""
    turns: dict[int, Turn]
    earlier: int | None
    """Position of the nearest entry above the window, if there is one."""
    later: int | None
    decoded: int
    """Bytes that were decompressed for it."""
    digest: bytes | None = None
    """Of everything that its cards are made of: bytes, rows and marks. None if any of it is damaged."""
    sizes: Mapping[int, BoundarySize] = field(default_factory=dict)
    """Of the compactions in it, as far as they were measured."""


def window_at(transcript: Transcript, position: int, *, everything: bool = False) -> Window:
    """The window around `position`: a few entries before it, then those that follow."""
    lead = _select(transcript, "id < %s", position, "DESC", LEAD + 1, everything)
    start = lead[:LEAD][-1].position if lead else position
    return _window_from(transcript, start, lead[LEAD:], everything=everything)


def window_from(transcript: Transcript, start: int, *, everything: bool = False) -> Window:
    above = _select(transcript, "id < %s", start, "DESC", 1, everything)
    return _window_from(transcript, start, above, everything=everything)


def _window_from(transcript: Transcript, start: int, above: list[EntryRow], *, everything: bool) -> Window:
    selected = _select(transcript, "id >= %s", start, "ASC", WINDOW + 1, everything)
    rows = _limit_bytes(selected[:WINDOW])
    later = selected[len(rows)].position if len(selected) > len(rows) else None
    return _build(transcript, rows, above[0].position if above else None, later)


def window_until(transcript: Transcript, end: int, *, everything: bool = False) -> Window:
    """The window that ends just above position `end`."""
    selected = _select(transcript, "id < %s", end, "DESC", WINDOW + 1, everything)
    rows = _limit_bytes(selected[:WINDOW])
    earlier = selected[len(rows)].position if len(selected) > len(rows) else None
    return _build(transcript, rows[::-1], earlier, end if end < transcript.entries else None)


def window_last(transcript: Transcript, *, everything: bool = False) -> Window:
    return window_until(transcript, POSITION_MASK, everything=everything)


def rows_at(transcript: Transcript, positions: Iterable[int], reader: Reader | None = None) -> Window:
    """Just these entries, with the results of their calls."""
    base = transcript.pk << POSITION_BITS
    ids = sorted({base | position for position in positions})
    if not ids:
        return Window((), {}, {}, None, None, 0)
    marks = ",".join(["%s"] * len(ids))
    rows = _fetch(f"SELECT {ENTRY_COLUMNS} FROM transcripts_entry WHERE id IN ({marks}) ORDER BY id", ids)
    return _build(transcript, rows, None, None, reader)


def _select(
    transcript: Transcript, where: str, position: int, order: str, limit: int, everything: bool
) -> list[EntryRow]:
    base = transcript.pk << POSITION_BITS
    shown_only = "" if everything else f"AND (flags & {_SHOWN}) != 0"
    sql = (
        f"SELECT {ENTRY_COLUMNS} FROM transcripts_entry WHERE id >= %s AND id <= %s AND {where} {shown_only}"
        f" ORDER BY id {order} LIMIT {limit}"
    )
    return _fetch(sql, [base, base | POSITION_MASK, base | position])


def _fetch(sql: str, parameters: Sequence[int]) -> list[EntryRow]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(map(EntryRow._make, cursor.fetchall()))


def _limit_bytes(rows: list[EntryRow]) -> list[EntryRow]:
    total = 0
    for number, row in enumerate(rows):
        total += row.length
        if total > BYTES and number:
            return rows[:number]
    return rows


def _build(
    transcript: Transcript, fields: list[EntryRow], earlier: int | None, later: int | None, reader: Reader | None = None
) -> Window:
    if not fields:
        return Window((), {}, {}, earlier, later, 0)
    reader = reader or Reader(transcript.source_id)
    called = {row.tool_key for row in fields if row.flags & _CALL and row.tool_key is not None}
    answers = _select_results(transcript, called)
    reader.fetch([(row.offset, row.length) for row in fields + answers])
    rows = [_make_row(row, reader) for row in fields]
    # A row has the key of its first call only. Several calls in one record occur only in files of other programs.
    others = {key_of(tool_id) for row in rows if Flag.CALL in row.flags for tool_id in tool_ids(row.record)} - called
    answers += _select_results(transcript, others)
    results = [_make_row(row, reader) for row in answers]
    lost = {row.tool_key: result for row, result in zip(answers, results, strict=True) if result.damage}
    marks = _load_marks(transcript, rows, results)
    sizes = _load_sizes(transcript, rows)
    damaged = any(row.damage for row in (*rows, *results))
    return Window(
        tuple(_attach_marks(row, marks) for row in rows),
        _results_by_call([_attach_marks(row, marks) for row in results])
        | (_damaged_by_call(rows, lost) if lost else {}),
        _load_turns(transcript, {row.turn for row in rows}),
        earlier,
        later,
        reader.decoded,
        None if damaged else _digest(fields, answers, marks, sizes, reader),
        sizes,
    )


def _load_sizes(transcript: Transcript, rows: Sequence[Row]) -> dict[int, BoundarySize]:
    positions = {row.position for row in rows if is_bar(row.record) or is_summary(row.record)}
    if not positions:
        return {}
    return {size.position: size for size in weight_table(transcript).boundaries if size.position in positions}


def _digest(
    calls: Sequence[EntryRow],
    answers: Sequence[EntryRow],
    marks: Sequence[Mark],
    sizes: Mapping[int, BoundarySize],
    reader: Reader,
) -> bytes:
    # The rows contain the lengths, so that bytes cannot move from one record to the next unnoticed.
    digest = blake2b(repr((calls, answers, marks, sizes)).encode(), digest_size=32)
    for row in (*calls, *answers):
        digest.update(reader.read(row.offset, row.length))
    return digest.digest()


def _make_row(row: EntryRow, reader: Reader) -> Row:
    record, damage = reader.try_record(row.offset, row.length)
    return make_row(row, record, damage)


def _attach_marks(row: Row, marks: Sequence[Mark]) -> Row:
    mine = tuple(mark for mark in marks if mark.first <= row.position <= mark.last)
    return replace(row, marks=mine) if mine else row


def _load_marks(transcript: Transcript, *groups: Sequence[Row]) -> list[Mark]:
    """The marks that overlap one of these groups of rows."""
    touching = Q()
    for rows in groups:
        if rows:
            positions = [row.position for row in rows]
            touching |= Q(first__lte=max(positions), last__gte=min(positions))
    stored = StoredMark.objects.filter(touching, transcript=transcript)
    return [Mark(mark.first, mark.last, Fate(mark.fate), mark.by) for mark in stored]


def tool_ids(record: Record) -> list[str]:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        return []
    ids = [block.get("id") for block in content if isinstance(block, dict)]
    return [tool_id for tool_id in ids if isinstance(tool_id, str)]


def _select_results(transcript: Transcript, calls: Collection[int]) -> list[EntryRow]:
    """The rows with the results of these calls: usually close by, but pages away if calls run in parallel."""
    if not calls:
        return []
    marks = ",".join(["%s"] * len(calls))
    rows = _fetch(f"SELECT {ENTRY_COLUMNS} FROM transcripts_entry WHERE tool_key IN ({marks}) ORDER BY id", list(calls))
    return [row for row in rows if row.flags & _RESULT and row.transcript_id == transcript.pk]


def _results_by_call(rows: Iterable[Row]) -> dict[str, Row]:
    """The first result of each call: a resumed session may write results again."""
    results: dict[str, Row] = {}
    for row in rows:
        for call in _answered_calls(row.record):
            results.setdefault(call, row)
    return results


def _damaged_by_call(rows: Iterable[Row], damaged: Mapping[int | None, Row]) -> dict[str, Row]:
    """Damaged results by the ids of their calls, which are taken from the calls themselves."""
    ids = [tool_id for row in rows if Flag.CALL in row.flags for tool_id in tool_ids(row.record)]
    return {tool_id: damaged[key_of(tool_id)] for tool_id in ids if key_of(tool_id) in damaged}


def _answered_calls(record: Record) -> list[str]:
    """The ids of the calls whose results a record holds."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    blocks = content if isinstance(content, list) else []
    ids = [block.get("tool_use_id") for block in blocks if isinstance(block, dict)]
    return [tool_id for tool_id in ids if isinstance(tool_id, str)]


def _load_turns(transcript: Transcript, numbers: set[int]) -> dict[int, Turn]:
    base = transcript.pk << POSITION_BITS
    turns = Turn.objects.filter(pk__in=[base | number for number in numbers])
    return {turn.pk & POSITION_MASK: turn for turn in turns}


def calls_answered_since(transcript: Transcript, position: int) -> list[int]:
    """Positions of the latest calls before `position` whose results come at or after it."""
    base = transcript.pk << POSITION_BITS
    rows = _fetch(
        f"SELECT {ENTRY_COLUMNS} FROM transcripts_entry WHERE id >= %s AND id < %s AND (flags & {_CALL}) != 0"
        " AND tool_key IN (SELECT tool_key FROM transcripts_entry WHERE id >= %s AND id <= %s"
        f" AND tool_key IS NOT NULL AND (flags & {_RESULT}) != 0) ORDER BY id DESC LIMIT {WINDOW}",
        [base, base | position, base | position, base | POSITION_MASK],
    )
    return [row.position for row in rows]
