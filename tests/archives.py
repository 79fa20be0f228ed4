"""An archive that takes a while to read and little room: blocks that hold nothing but zeros."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from sessions.archive.engine.frames import BLOCK_SIZE, compressor
from sessions.transcripts.engine.entry_ids import BLOCK_BITS

SOURCE = 900


def large_archive(database: Path, blocks: int, *, broken: bool = False) -> None:
    """A source of so many blocks, each of half a megabyte; the last of them can be broken."""
    packed = compressor()(bytes(BLOCK_SIZE))
    first = SOURCE << BLOCK_BITS
    values = {
        "id": SOURCE,
        "path": "/elsewhere/large.txt",
        "host": "",
        "kind": "result",
        "state": "vanished",
        "device": 0,
        "inode": 0,
        "size": blocks * BLOCK_SIZE,
        "mtime_ns": 0,
        "archived": blocks * BLOCK_SIZE,
        "imported": blocks * BLOCK_SIZE,
        "owed": False,
        "head_hash": b"",
        "tail_hash": b"",
    }
    connection = sqlite3.connect(database, timeout=30)
    with connection:
        marks = ", ".join(f":{name}" for name in values)
        connection.execute(f"INSERT INTO transcripts_source ({', '.join(values)}) VALUES ({marks})", values)
        connection.execute(
            "WITH RECURSIVE block(id) AS (SELECT ? UNION ALL SELECT id + 1 FROM block LIMIT ?) "
            "INSERT INTO transcripts_block (id, data) SELECT id, ? FROM block",
            [first, blocks, packed],
        )
        if broken:
            damaged = packed[:-3] + b"xyz"
            connection.execute("UPDATE transcripts_block SET data = ? WHERE id = ?", [damaged, first + blocks - 1])
    connection.close()
