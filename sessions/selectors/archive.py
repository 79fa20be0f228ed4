"""Reads bytes and records back out of the archive, decoding only the blocks that hold them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import zstandard
from django.db import connection

from sessions.engine.archive import BLOCK_SIZE, blocks_of, cut
from sessions.engine.lines import mend, parse
from sessions.engine.rows import Record
from sessions.models.archive import BLOCK_BITS


@dataclass(slots=True)
class Reader:
    """The archive of one source. `decoded` counts the raw bytes that were decompressed, for those who must bound it."""

    source_id: int
    decoded: int = 0
    _blocks: dict[int, bytes] = field(default_factory=dict)

    def fetch(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Load the blocks of all these (offset, length) ranges with one query."""
        wanted = {number for offset, length in ranges for number in blocks_of(offset, length)}
        missing = sorted(wanted - self._blocks.keys())
        if not missing:
            return
        base = self.source_id << BLOCK_BITS
        marks = ",".join(["%s"] * len(missing))
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT id, data FROM transcripts_block WHERE id IN ({marks})",  # noqa: S608 - only placeholders
                [base | number for number in missing],
            )
            rows = cursor.fetchall()
        decompressor = zstandard.ZstdDecompressor()
        for block_id, data in rows:
            raw = decompressor.decompress(data, max_output_size=BLOCK_SIZE)
            self._blocks[block_id - base] = raw
            self.decoded += len(raw)

    def read(self, offset: int, length: int) -> bytes:
        self.fetch([(offset, length)])
        return cut(self._blocks, offset, length)

    def record(self, offset: int, length: int) -> Record:
        record, _ = mend(parse(self.read(offset, length)))
        return record

    def records(self, ranges: Sequence[tuple[int, int]]) -> list[Record]:
        self.fetch(ranges)
        return [self.record(offset, length) for offset, length in ranges]
