"""Sub-agents of old clients, whose records stand in the session's own file: their rows, and what they spent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sessions.agents.engine import Spot, Thread, threads
from sessions.linking.engine import link_row
from sessions.models import Mark as StoredMark
from sessions.models import Request
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.marks import Fate, Mark
from sessions.transcripts.engine.rows import EntryRow
from sessions.transcripts.selectors.family import Family

INLINE = "L"
MOST_ROWS = 20_000
_ERROR = int(Flag.ERROR)
_SIDECHAIN = int(Flag.SIDECHAIN)


@dataclass(frozen=True, slots=True)
class Inside:
    key: str
    first: int
    last: int
    size: int
    call: int | None
    positions: frozenset[int]
    first_at: int | None
    last_at: int | None
    errors: int
    models: tuple[str, ...]
    peak: int
    spend: tuple[int, int, int, int, int, float, int]
    """Requests, input, read, written, output, cost, requests without a price."""
    requests: tuple[str, ...]
    """The ids of the answers, in order."""
    last_record: Mapping[str, Any]
    last_spot: Spot


def inside(family: Family) -> list[Inside]:
    stored = StoredMark.objects.filter(transcript=family.session, fate=Fate.SIDECHAIN)
    marks = [Mark(first, last, Fate.SIDECHAIN, by) for first, last, by in stored.values_list("first", "last", "by")]
    if not marks:
        return []
    rows = {
        row.position: row
        for row in family.find("t.parent_id IS NULL AND (e.flags & %s) <> 0", (_SIDECHAIN,), MOST_ROWS)
        if row.transcript_id == family.session.pk
    }
    asked = list(Request.objects.filter(transcript=family.session).exclude(agent="").order_by("position"))
    links = [link_row(row) for row in rows.values()]
    found = threads(links, marks)
    lasts = {row.position: record for row, record in family.read_records(rows[one.last] for one in found)}
    return [_inside(one, rows, asked, lasts[one.last]) for one in found]


def _inside(thread: Thread, rows: Mapping[int, EntryRow], asked: list[Request], last: Mapping[str, Any]) -> Inside:
    mine = [rows[position] for position in thread.positions]
    here = frozenset(thread.positions)
    requests = [one for one in asked if one.position in here]
    owned = [one for one in requests if one.owned]
    times = [row.at for row in mine if row.at is not None]
    sums = [
        sum(values)
        for values in zip(
            *((one.input, one.cache_read, one.cache_write_5m + one.cache_write_1h, one.output) for one in owned),
            strict=True,
        )
    ] or [0, 0, 0, 0]
    cost = sum(one.cost for one in owned if one.cost is not None)
    unpriced = sum(one.cost is None for one in owned)
    context = (one.input + one.cache_read + one.cache_write_5m + one.cache_write_1h + one.output for one in requests)
    return Inside(
        f"{INLINE}{thread.root}",
        thread.first,
        thread.last,
        len(mine),
        thread.call,
        here,
        min(times, default=None),
        max(times, default=None),
        sum(bool(row.flags & _ERROR) for row in mine),
        tuple(dict.fromkeys(one.model for one in requests if one.model)),
        max(context, default=0),
        (len(owned), sums[0], sums[1], sums[2], sums[3], cost, unpriced),
        tuple(one.message_id for one in requests),
        last,
        Spot("", thread.last, rows[thread.last].at),
    )
