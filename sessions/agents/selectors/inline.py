"""Sub-agents of old clients, whose records are in the session's own file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sessions.agents.engine import RecordPosition, Thread, find_threads
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
class InlineAgent:
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
    last_spot: RecordPosition


def load_inline_agents(family: Family) -> list[InlineAgent]:
    stored = StoredMark.objects.filter(transcript=family.session, fate=Fate.SIDECHAIN)
    marks = [Mark(first, last, Fate.SIDECHAIN, by) for first, last, by in stored.values_list("first", "last", "by")]
    if not marks:
        return []
    rows = {
        row.position: row
        for row in family.find("t.parent_id IS NULL AND (e.flags & %s) <> 0", (_SIDECHAIN,), MOST_ROWS)
        if row.transcript_id == family.session.pk
    }
    requests = list(Request.objects.filter(transcript=family.session).exclude(agent="").order_by("position"))
    links = [link_row(row) for row in rows.values()]
    threads = find_threads(links, marks)
    lasts = {row.position: record for row, record in family.read_records(rows[thread.last] for thread in threads)}
    return [_make_agent(thread, rows, requests, lasts[thread.last]) for thread in threads]


def _make_agent(
    thread: Thread, rows: Mapping[int, EntryRow], all_requests: list[Request], last: Mapping[str, Any]
) -> InlineAgent:
    thread_rows = [rows[position] for position in thread.positions]
    positions = frozenset(thread.positions)
    requests = [request for request in all_requests if request.position in positions]
    owned = [request for request in requests if request.owned]
    times = [row.at for row in thread_rows if row.at is not None]
    sums = [
        sum(values)
        for values in zip(
            *(
                (request.input, request.cache_read, request.cache_write_5m + request.cache_write_1h, request.output)
                for request in owned
            ),
            strict=True,
        )
    ] or [0, 0, 0, 0]
    cost = sum(request.cost for request in owned if request.cost is not None)
    unpriced = sum(request.cost is None for request in owned)
    context = (
        request.input + request.cache_read + request.cache_write_5m + request.cache_write_1h + request.output
        for request in requests
    )
    return InlineAgent(
        f"{INLINE}{thread.root}",
        thread.first,
        thread.last,
        len(thread_rows),
        thread.call,
        positions,
        min(times, default=None),
        max(times, default=None),
        sum(bool(row.flags & _ERROR) for row in thread_rows),
        tuple(dict.fromkeys(request.model for request in requests if request.model)),
        max(context, default=0),
        (len(owned), sums[0], sums[1], sums[2], sums[3], cost, unpriced),
        tuple(request.message_id for request in requests),
        last,
        RecordPosition("", thread.last, rows[thread.last].at),
    )
