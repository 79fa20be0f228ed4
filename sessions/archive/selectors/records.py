"""Reads bytes and records back out of the archive, decoding only the blocks that hold them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import zstandard

from sessions.archive.engine.damage import NO_RECORD, TOO_SHORT, UNREADABLE, ArchiveDamageError
from sessions.archive.engine.frames import BLOCK_SIZE, block_numbers, cut_range
from sessions.archive.selectors.blocks import CHUNK, NUMBER_MASK, Blocks, load_blocks
from sessions.imports.engine.broken_lines import join_characters, parse_object
from sessions.transcripts.engine.entry_ids import BLOCK_BITS
from sessions.transcripts.engine.rows import Record

READ_AHEAD = 64 * 1024
"""Bytes decompressed beyond what was asked for: the result of a call stands behind it."""


@dataclass(slots=True)
class Reader:
    """Reads the archive of one source. It returns what was archived, or raises ArchiveDamageError. `decoded` counts the
    decompressed bytes, for callers that must limit them."""

    source_id: int
    decoded: int = 0
    prints: dict[int, bytes | None] = field(default_factory=dict)
    """Block -> the hash of its frame, of all that were loaded; None where the bytes are damaged, or not
    from the archive, or proven by no hash."""
    _blocks: dict[int, bytes] = field(default_factory=dict)
    _damage: dict[int, ArchiveDamageError] = field(default_factory=dict)

    def fetch(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Loads the blocks of all these (offset, length) ranges with one query."""
        fetch_all((self, offset, length) for offset, length in ranges)

    def is_loaded(self, offset: int, length: int) -> bool:
        """Whether these bytes are in memory."""
        number = offset // BLOCK_SIZE
        start = offset - number * BLOCK_SIZE
        return start + length <= len(self._blocks.get(number, b""))

    def read(self, offset: int, length: int) -> bytes:
        if not self.is_loaded(offset, length):
            self.fetch([(offset, length)])
        if self._damage:
            for number in block_numbers(offset, length):
                if number in self._damage:
                    # It may be raised a thousand times, and would collect a traceback each time.
                    raise self._damage[number].with_traceback(None)
        return cut_range(self._blocks, offset, length)

    def record(self, offset: int, length: int) -> Record:
        """The record; empty if its bytes are lost, because the file was gone before a killed import could archive
        it."""
        data = self.read(offset, length)
        try:
            return {} if len(data) < length else parse_record(data)
        except ValueError as error:
            # It was a record when it was archived, so the block has no hash yet, or was damaged before it got one.
            raise ArchiveDamageError(self.source_id, offset, offset + length, NO_RECORD) from error

    def try_record(self, offset: int, length: int) -> tuple[Record, str]:
        """The record, and why it cannot be read, for pages that show all others."""
        try:
            return self.record(offset, length), ""
        except ArchiveDamageError as damage:
            return {}, str(damage)

    def release(self, most: int) -> None:
        """Keeps at most so many blocks: those that were fetched last."""
        for number in list(self._blocks)[: max(0, len(self._blocks) - most)]:
            del self._blocks[number]


def parse_record(data: bytes) -> Record:
    record, _ = join_characters(parse_object(data))
    return record


def fetch_all(ranges: Iterable[tuple[Reader, int, int]], ahead: int = READ_AHEAD) -> None:
    """Loads the blocks of (reader, offset, length) ranges, of any number of sources, with one query. Damage is noted,
    and raised when it is read."""
    missing: dict[int, tuple[Reader, int]] = {}
    """Block -> who wants it, and how many of its bytes: what follows the last record that is read stays packed."""
    for reader, offset, length in ranges:
        for number in block_numbers(offset, length):
            end = min(BLOCK_SIZE, offset + length - number * BLOCK_SIZE)
            if number not in reader._damage and len(reader._blocks.get(number, b"")) < end:
                block = reader.source_id << BLOCK_BITS | number
                missing[block] = (reader, max(end, missing[block][1] if block in missing else 0))
    decompressor = zstandard.ZstdDecompressor()
    ids = list(missing)
    for start in range(0, len(ids), CHUNK):
        blocks = load_blocks(ids[start : start + CHUNK])
        for block_id in ids[start : start + CHUNK]:
            reader, end = missing[block_id]
            raw = b""
            if block_id in blocks.frames:
                raw = _unpack(decompressor, blocks, block_id, end, ahead)
                reader.decoded += len(raw)
            reader.prints[block_id] = blocks.prints.get(block_id) if block_id in blocks.frames else None
            number = block_id & NUMBER_MASK
            if block_id in blocks.damage:
                reader._damage[number] = blocks.damage[block_id]
            else:
                reader._blocks[number] = blocks.raw.get(block_id, raw)


def _unpack(decompressor: zstandard.ZstdDecompressor, blocks: Blocks, block_id: int, end: int, ahead: int) -> bytes:
    try:
        raw = decompressor.stream_reader(blocks.frames[block_id]).read(min(BLOCK_SIZE, end + ahead))
    except (zstandard.ZstdError, MemoryError):
        return blocks.read_from_file(block_id, UNREADABLE) or b""
    # By its hash the block is intact, so the caller asks for more than there is.
    if len(raw) < end and blocks.hashes[block_id] is None:
        return blocks.read_from_file(block_id, TOO_SHORT) or b""
    return raw
