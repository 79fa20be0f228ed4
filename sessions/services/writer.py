"""Writes what the scanner found. Plain SQL with executemany: creating model instances costs more than all the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import orjson
from django.db import connection

from sessions.engine.marks import Mark
from sessions.engine.scan import Batch, Facts, Stretch
from sessions.engine.storing import storable_json
from sessions.models.archive import BLOCK_BITS
from sessions.services.pool import Delivery

ENTRY = (
    'INSERT INTO transcripts_entry (id, "offset", length, type, detail, uuid_key, parent_key, message_key, tool_key,'
    " at, turn, flags) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
)
BLOCK = "INSERT INTO transcripts_block (id, data) VALUES (%s, %s) ON CONFLICT (id) DO UPDATE SET data = excluded.data"
TURN = (
    "INSERT INTO transcripts_turn (id, first, last, started_at, ended_at, calls, errors, requests, input, cache_read,"
    " cache_write, output) VALUES (%s, %s, %s, %s, %s, %s, %s, 0, 0, 0, 0, 0) ON CONFLICT (id) DO UPDATE SET"
    " last = excluded.last, started_at = excluded.started_at, ended_at = excluded.ended_at, calls = excluded.calls,"
    " errors = excluded.errors"
)
PROBLEM = (
    'INSERT INTO transcripts_problem (transcript_id, line, "offset", length, kind, detail)'
    " VALUES (%s, %s, %s, %s, %s, %s)"
)
ODDITY = (
    "INSERT INTO transcripts_oddity (transcript_id, what, name, count, first) VALUES (%s, %s, %s, %s, %s)"
    " ON CONFLICT (transcript_id, what, name) DO UPDATE SET count = transcripts_oddity.count + excluded.count"
)
MARK = 'INSERT INTO transcripts_mark (transcript_id, first, last, fate, "by") VALUES (%s, %s, %s, %s, %s)'
SOURCE = (
    "UPDATE transcripts_source SET imported = %s, archived = %s, head_hash = %s, tail_hash = %s, size = %s"
    " WHERE id = %s"
)


def _larger(column: str) -> str:
    return (
        f"{column} = CASE WHEN excluded.{column} > transcripts_request.{column}"
        f" THEN excluded.{column} ELSE transcripts_request.{column} END"
    )


# The last row of a message has the largest counts; which row comes in which import does not matter.
REQUEST = (
    "INSERT INTO transcripts_request (transcript_id, message_key, position, turn, message_id, request_id, agent, model,"
    " at, input, cache_read, cache_write_5m, cache_write_1h, output, cost, owned)"
    " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, TRUE)"
    " ON CONFLICT (transcript_id, message_key) DO UPDATE SET "
    + ", ".join(map(_larger, ("input", "cache_read", "cache_write_5m", "cache_write_1h", "output", "cost")))
)

FACTS = (
    "session_id",
    "agent_id",
    "title",
    "first_prompt",
    "cwd",
    "branch",
    "version",
    "continued_in",
    "first_at",
    "last_at",
    "lines",
    "entries",
    "bad_lines",
    "recovered",
    "typed",
    "calls",
    "errors",
    "compactions",
    "peak_context",
)
TRANSCRIPT = (
    "UPDATE transcripts_transcript SET "
    + ", ".join(f"{name} = %s" for name in FACTS)
    + ", turns = %s, model_names = %s, branches = %s, ruler = %s, state = %s, settled = FALSE WHERE id = %s"
)


class Written:
    """Rows written, by table: a warm sync must leave this empty."""

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}

    def add(self, table: str, count: int) -> None:
        if count:
            self.rows[table] = self.rows.get(table, 0) + count

    @property
    def total(self) -> int:
        return sum(self.rows.values())


def write(delivery: Delivery, written: Written) -> None:
    """One stretch, inside the caller's transaction: after a kill the file is read on where this left it."""
    job, stretch = delivery.job, delivery.stretch
    assert stretch is not None
    with connection.cursor() as cursor:
        rows = [(job.source_id << BLOCK_BITS | number, data) for number, data in stretch.blocks]
        _many(cursor, written, "block", BLOCK, rows)
        if job.transcript_id is not None and stretch.batch is not None:
            if job.facts and job.facts.get("partial"):
                # It was the line that we now read again.
                sql = 'DELETE FROM transcripts_problem WHERE transcript_id = %s AND "offset" = %s'
                cursor.execute(sql, [job.transcript_id, job.start])
            _write_batch(cursor, written, job.transcript_id, stretch.batch)
            assert delivery.facts is not None
            facts = {name: value for name, value in delivery.facts.items() if name != "ruler"}
            state = {"facts": facts, "links": delivery.linkage.state if delivery.linkage else None}
            write_facts(cursor, job.transcript_id, Facts.from_json(delivery.facts), state)
            written.add("transcript", 1)
            if delivery.linkage is not None and delivery.linkage.marks is not None:
                write_marks(cursor, written, job.transcript_id, delivery.linkage.marks)
        _write_source(cursor, written, job.source_id, stretch, job.size)


def _many(cursor: Any, written: Written, table: str, sql: str, rows: Sequence[Sequence[object]]) -> None:
    if rows:
        cursor.executemany(sql, rows)
        written.add(table, len(rows))


def _write_batch(cursor: Any, written: Written, transcript_id: int, batch: Batch) -> None:
    _many(cursor, written, "entry", ENTRY, batch.entries)
    _many(cursor, written, "request", REQUEST, [(transcript_id, *row) for row in batch.requests])
    _many(cursor, written, "turn", TURN, list(batch.turns.values()))
    _many(cursor, written, "problem", PROBLEM, [(transcript_id, *row) for row in batch.problems])
    odd = [(transcript_id, what, name, count, first) for (what, name), (count, first) in batch.oddities.items()]
    _many(cursor, written, "oddity", ODDITY, odd)


def write_facts(cursor: Any, transcript_id: int, facts: Facts, state: dict[str, Any]) -> None:
    cursor.execute(
        TRANSCRIPT,
        [
            *(getattr(facts, name) for name in FACTS),
            facts.turn.number,
            _lines(facts.model_names),
            _lines(facts.branches),
            _json(facts.ruler.to_json()),
            _json(state),
            transcript_id,
        ],
    )


def write_marks(cursor: Any, written: Written, transcript_id: int, marks: Sequence[Mark]) -> None:
    cursor.execute("DELETE FROM transcripts_mark WHERE transcript_id = %s", [transcript_id])
    rows = [(transcript_id, mark.first, mark.last, mark.fate.value, mark.by) for mark in marks]
    _many(cursor, written, "mark", MARK, rows)


def _write_source(cursor: Any, written: Written, source_id: int, stretch: Stretch, size: int) -> None:
    tail = stretch.tail_hash if stretch.last else b""
    head = stretch.head_hash
    cursor.execute(SOURCE, [stretch.parsed, stretch.archived, head, tail, size, source_id])
    written.add("source", 1)


def _lines(names: Iterable[str]) -> str:
    joined = "\n".join(names)
    return f"\n{joined}\n" if joined else ""


def _json(value: object) -> str:
    return storable_json(orjson.dumps(value).decode())
