"""Feeds the text index: FTS5 without a copy of the text on SQLite, tsvector on PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection

TSVECTOR_CHARS = 200_000  # a tsvector may not pass 1 MB


def add(cursor: Any, rows: Sequence[tuple[int, str]]) -> None:
    if not rows:
        return
    if connection.vendor == "sqlite":
        cursor.executemany("INSERT INTO transcripts_text (rowid, text) VALUES (%s, %s)", rows)
    else:
        cursor.executemany(
            "INSERT INTO transcripts_text (entry_id, body) VALUES (%s, to_tsvector('simple', %s))"
            " ON CONFLICT (entry_id) DO NOTHING",
            [(entry, text[:TSVECTOR_CHARS].replace("\x00", " ")) for entry, text in rows],
        )
