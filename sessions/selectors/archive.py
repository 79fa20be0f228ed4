"""Reads bytes and records back out of the archive, decoding only the blocks that hold them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import zstandard
from django.db import connection

from sessions.engine.archive import BLOCK_SIZE, blocks_of, cut
from sessions.engine.lines import mend, parse
from sessions.engine.paths import opened
from sessions.engine.place import BLOCK_BITS
from sessions.engine.prints import tail_print
from sessions.engine.rows import Record
from sessions.models import Source

AT_ONCE = 500
"""Placeholders in one statement; SQLite has a limit."""
AHEAD = 64 * 1024
"""Bytes decompressed beyond what was asked for: the result of a call stands behind it."""


@dataclass(slots=True)
class Reader:
    """The archive of one source. `decoded` counts the raw bytes that were decompressed, for those who must bound it."""

    source_id: int
    decoded: int = 0
    _blocks: dict[int, bytes] = field(default_factory=dict)

    def fetch(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Load the blocks of all these (offset, length) ranges with one query."""
        fetch_all((self, offset, length) for offset, length in ranges)

    def holds(self, offset: int, length: int) -> bool:
        """Are these bytes in memory?"""
        number = offset // BLOCK_SIZE
        start = offset - number * BLOCK_SIZE
        return start + length <= len(self._blocks.get(number, b""))

    def read(self, offset: int, length: int) -> bytes:
        if not self.holds(offset, length):
            self.fetch([(offset, length)])
        return cut(self._blocks, offset, length)

    def record(self, offset: int, length: int) -> Record:
        """Empty if nobody has its bytes any more: the file was gone before a killed import could archive it."""
        data = self.read(offset, length)
        return {} if len(data) < length else record_of(data)

    def release(self, most: int) -> None:
        """Hold at most so many blocks: those that were fetched last."""
        for number in list(self._blocks)[: max(0, len(self._blocks) - most)]:
            del self._blocks[number]

    def records(self, ranges: Sequence[tuple[int, int]]) -> list[Record]:
        self.fetch(ranges)
        return [self.record(offset, length) for offset, length in ranges]


def record_of(data: bytes) -> Record:
    record, _ = mend(parse(data))
    return record


def fetch_all(wanted: Iterable[tuple[Reader, int, int]], ahead: int = AHEAD) -> None:
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
            packed = cursor.fetchall()
        for block_id, data in packed:
            reader, end = missing.pop(block_id)
            raw = decompressor.stream_reader(data).read(min(BLOCK_SIZE, end + ahead))
            reader._blocks[block_id & (1 << BLOCK_BITS) - 1] = raw
            reader.decoded += len(raw)
    found = blocks_on_disk(missing)
    for block_id, (reader, _) in missing.items():
        reader._blocks[block_id & (1 << BLOCK_BITS) - 1] = found.get(block_id, b"")


def blocks_on_disk(ids: Collection[int]) -> dict[int, bytes]:
    """Blocks of files that a large import has read, but not yet archived."""
    if not ids:
        return {}
    wanted: dict[int, list[int]] = {}
    for block_id in ids:
        wanted.setdefault(block_id >> BLOCK_BITS, []).append(block_id)
    found: dict[int, bytes] = {}
    for source in Source.objects.filter(pk__in=wanted, owed=True):
        with suppress(OSError), opened(source.path).open("rb") as file:
            if tail_print(file, source.imported) != bytes(source.tail_hash):
                continue  # it was rewritten: then, as when it is gone, nobody has what was read
            for block_id in wanted[source.pk]:
                file.seek((block_id & (1 << BLOCK_BITS) - 1) * BLOCK_SIZE)
                found[block_id] = file.read(BLOCK_SIZE)
    return found
