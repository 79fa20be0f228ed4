"""Backups made by hand: sound ones, and such as only somebody with bad intentions would make."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from inspector.backup.format.manifest import Manifest, StreamKind
from inspector.backup.format.rows import Row
from inspector.backup.format.writer import BackupWriter

Given = tuple[StreamKind, str, Sequence[str], Sequence[Row]]
TIDES: Given = ("tables", "tides", ("id", "height", "note"), [(1, 4.5, "high"), (2, None, b"\x00\xff"), (3, True, "")])
FILES: Given = ("files", "home", ("path", "piece", "mtime_ns", "data"), [("secret.key", 0, 5, b"key")])


def crafted(*streams: Given, **more: Any) -> bytes:
    file = io.BytesIO()
    writer = BackupWriter(file, silent)
    for kind, name, columns, rows in streams:
        writer.stream(kind, name, columns, rows, wide=range(len(columns)))
    given = {
        "lucid": "0.1",
        "created_at": 1_760_000_000_000,
        "database": "sqlite",
        "migrations": ["transcripts.0001_initial"],
        "files": 1,
        "owed": 0,
        "sequences": {"tides": 3},
        "streams": writer.streams,
    }
    writer.finish(Manifest(**{**given, **more}))
    return file.getvalue()


def silent(what: str, done: int) -> None:
    """Progress that nobody looks at."""
