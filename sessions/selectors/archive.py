"""Reads bytes and records back out of the archive, decoding only the blocks that hold them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import zstandard
from django.db import connection

from sessions.engine.archive import BLOCK_SIZE, blocks_of, cut
from sessions.engine.lines import mend, parse
from sessions.engine.rows import Record
from sessions.engine.place import BLOCK_BITS

AT_ONCE = 500
"""Placeholders in one statement; SQLite has a limit."""


@dataclass(slots=True)
class Reader:
    """The archive of one source. `decoded` counts the raw bytes that were decompressed, for those who must bound it."""

    source_id: int
    decoded: int = 0
    _blocks: dict[int, bytes] = field(default_factory=dict)

    def fetch(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Load the blocks of all these (offset, length) ranges with one query."""
        fetch_all((self, offset, length) for offset, length in ranges)

    def read(self, offset: int, length: int) -> bytes:
        self.fetch([(offset, length)])
        return cut(self._blocks, offset, length)

    def record(self, offset: int, length: int) -> Record:
        record, _ = mend(parse(self.read(offset, length)))
        return record

    def records(self, ranges: Sequence[tuple[int, int]]) -> list[Record]:
        self.fetch(ranges)
        return [self.record(offset, length) for offset, length in ranges]


def fetch_all(wanted: Iterable[tuple[Reader, int, int]]) -> None:
    """Load the blocks of (reader, offset, length) ranges, of however many sources, with one query."""
    missing: dict[int, tuple[Reader, int]] = {}
    """Block -> who wants it, and how many of its bytes: what follows the last record that is read stays packed."""
    for reader, offset, length in wanted:
        for number in blocks_of(offset, length):
            end = min(BLOCK_SIZE, offset + length - number * BLOCK_SIZE)
            if len(reader._blocks.get(number, b"")) < end:
                block = reader.source_id << BLOCK_BITS | number
                missing[block] = (reader, max(end, missing[block][1] if block in missing else 0))
    if not missing:
        return
    decompressor = zstandard.ZstdDecompressor()
    ids = list(missing)
    for at in range(0, len(ids), AT_ONCE):
        some = ids[at : at + AT_ONCE]
        marks = ",".join(["%s"] * len(some))
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT id, data FROM transcripts_block WHERE id IN ({marks})", some)
            for block_id, data in cursor.fetchall():
                reader, end = missing[block_id]
                raw = decompressor.stream_reader(data).read(end)
                reader._blocks[block_id & (1 << BLOCK_BITS) - 1] = raw
                reader.decoded += len(raw)
