"""Writes what the scanner found. Plain SQL with executemany: model instances would cost more than the rest."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import connection

from sessions.imports.services.stretch_rows import FACTS, Rows, mark_rows
from sessions.transcripts.engine.marks import Mark
from sessions.transcripts.engine.rows import ENTRY_COLUMNS, EntryRow

ENTRY = f"INSERT INTO transcripts_entry ({ENTRY_COLUMNS}) VALUES ({', '.join('%s' for _ in EntryRow._fields)})"
BLOCK = (
    "INSERT INTO transcripts_block (id, data, content_hash, frame_hash) VALUES (%s, %s, %s, %s) ON CONFLICT (id)"
    " DO UPDATE SET data = excluded.data, content_hash = excluded.content_hash, frame_hash = excluded.frame_hash"
)
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
MARK = (
    'INSERT INTO transcripts_mark (transcript_id, first, last, fate, "by") VALUES (%s, %s, %s, %s, %s)'
    " ON CONFLICT DO NOTHING"
)
SOURCE = (
    "UPDATE transcripts_source SET imported = %s, archived = %s, head_hash = %s, tail_hash = %s, size = %s, owed = %s"
    " WHERE id = %s"
)


def _larger(column: str) -> str:
    return (
        f"{column} = CASE WHEN excluded.{column} > transcripts_request.{column}"
        f" THEN excluded.{column} ELSE transcripts_request.{column} END"
    )


# The last row of a message has the largest counts, whichever import each row came with.
REQUEST = (
    "INSERT INTO transcripts_request (transcript_id, message_key, position, turn, message_id, request_id, agent, model,"
    " at, input, cache_read, cache_write_5m, cache_write_1h, output, cost, owned)"
    " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, TRUE)"
    " ON CONFLICT (transcript_id, message_key) DO UPDATE SET "
    + ", ".join(map(_larger, ("input", "cache_read", "cache_write_5m", "cache_write_1h", "output", "cost")))
)

TRANSCRIPT = (
    "UPDATE transcripts_transcript SET "
    + ", ".join(f"{name} = %s" for name in FACTS)
    + ", turns = %s, model_names = %s, branches = %s, ruler = %s, state = %s, settled = FALSE WHERE id = %s"
)


STATEMENTS = {
    # The line was incomplete when it was last read, and is read again now.
    "cut": 'DELETE FROM transcripts_problem WHERE transcript_id = %s AND "offset" = %s',
    "block": BLOCK,
    "entry": ENTRY,
    "request": REQUEST,
    "turn": TURN,
    "problem": PROBLEM,
    "oddity": ODDITY,
    "mark": MARK,
    "transcript": TRANSCRIPT,
    "source": SOURCE,
    "packed": "UPDATE transcripts_source SET archived = %s, tail_hash = %s, owed = FALSE WHERE id = %s",
}
"""In the order in which they are executed: how far we have come is written last."""


class WriteCounts:
    """Rows written, by table. After a sync of unchanged files it is empty."""

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}

    def add(self, table: str, count: int) -> None:
        if count:
            self.rows[table] = self.rows.get(table, 0) + count

    @property
    def total(self) -> int:
        return sum(self.rows.values())


class RowBuffer:
    """Collects rows of many stretches, to write all rows of a table with one statement."""

    def __init__(self, written: WriteCounts) -> None:
        self._written = written
        self._rows: Rows = {table: [] for table in STATEMENTS}

    def add(self, rows: Rows) -> None:
        for table, some in rows.items():
            self._rows[table] += some

    def write(self) -> None:
        """Writes inside the caller's transaction: after a kill, each file continues from here."""
        with connection.cursor() as cursor:
            for table, sql in STATEMENTS.items():
                if self._rows[table]:
                    cursor.executemany(sql, self._rows[table])
                    self._written.add(table, len(self._rows[table]))
                    self._rows[table] = []


def write_marks(transcript_id: int, marks: Iterable[Mark], written: WriteCounts) -> None:
    """Replaces the marks of the transcript."""
    rows = mark_rows(transcript_id, marks)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM transcripts_mark WHERE transcript_id = %s", [transcript_id])
        cursor.executemany(MARK, rows)
    written.add("mark", len(rows))
