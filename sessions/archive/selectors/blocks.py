"""Loads blocks of the archive and compares each with its hash. Damaged ones are read from the file, if it still has
their bytes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import BinaryIO

from django.db import connection

from sessions.archive.engine.damage import CHANGED, MISSING, ArchiveDamageError
from sessions.archive.engine.file_prints import print_of, tail_print
from sessions.archive.engine.frames import BLOCK_SIZE, block_extent
from sessions.models import Source
from sessions.transcripts.engine.entry_ids import BLOCK_BITS
from sessions.transcripts.engine.paths import decode_path

CHUNK = 500
"""Placeholders in one statement; SQLite has a limit."""
NUMBER_MASK = (1 << BLOCK_BITS) - 1

repairable_blocks: set[int] = set()
"""Damaged blocks that this process has met, and whose bytes are in their files, as the hashes prove: whoever may write
can repair them while the files are there."""


@dataclass(slots=True)
class Blocks:
    """By id. A block that is in none of the fields is beyond the end, or its file was gone before it was archived."""

    frames: dict[int, bytes] = field(default_factory=dict)
    raw: dict[int, bytes] = field(default_factory=dict)
    """Read from the file: not yet archived, or damaged in the archive."""
    damage: dict[int, ArchiveDamageError] = field(default_factory=dict)
    hashes: dict[int, bytes | None] = field(default_factory=dict)
    """Of the content of each that is stored; None where there is none yet."""
    prints: dict[int, bytes] = field(default_factory=dict)
    """Of the frames, of those that were compared with theirs."""

    def read_from_file(self, block_id: int, why: str) -> bytes | None:
        """The bytes of a frame that cannot be unpacked, read from the file; None if they are not there."""
        self.frames.pop(block_id, None)
        _read_files(self, {block_id: why})
        return self.raw.get(block_id)


def load_blocks(ids: Collection[int]) -> Blocks:
    """One query for every 500 blocks, as long as nothing is damaged and everything is archived."""
    blocks = Blocks()
    doubtful = _load(blocks, ids)
    absent = [block_id for block_id in ids if block_id not in blocks.hashes]
    if absent:
        _read_owed(blocks, absent)
        # Blocks that were not archived yet may be by now.
        absent = [block_id for block_id in absent if block_id not in blocks.raw]
        doubtful |= _load(blocks, absent)
        doubtful |= {block_id: MISSING for block_id in absent if block_id not in blocks.hashes}
    if doubtful:
        _read_files(blocks, doubtful)
    return blocks


def _load(blocks: Blocks, ids: Collection[int]) -> dict[int, str]:
    """Loads blocks, and returns the damaged ones with the reasons."""
    doubtful: dict[int, str] = {}
    all_ids = list(ids)
    for start in range(0, len(all_ids), CHUNK):
        chunk = all_ids[start : start + CHUNK]
        marks = ",".join(["%s"] * len(chunk))
        sql = f"SELECT id, data, content_hash, frame_hash FROM transcripts_block WHERE id IN ({marks})"
        with connection.cursor() as cursor:
            cursor.execute(sql, chunk)
            for block_id, data, content_hash, frame_hash in cursor.fetchall():
                blocks.hashes[block_id] = None if content_hash is None else bytes(content_hash)
                if frame_hash is not None and print_of(data) != bytes(frame_hash):
                    doubtful[block_id] = CHANGED
                else:
                    blocks.frames[block_id] = data
                    if frame_hash is not None:
                        blocks.prints[block_id] = bytes(frame_hash)
    return doubtful


def _read_owed(blocks: Blocks, ids: Iterable[int]) -> None:
    """Blocks of files that a large import has read, but not yet archived."""
    for source, numbers in _sources(ids):
        if not source.owed:
            continue
        with suppress(OSError), decode_path(source.path).open("rb") as file:
            if tail_print(file, source.imported) != bytes(source.tail_hash):
                continue  # it was rewritten, so nobody has the earlier bytes, as if it were gone
            for number in numbers:
                blocks.raw[source.pk << BLOCK_BITS | number] = _read_at(file, number * BLOCK_SIZE, BLOCK_SIZE)


def _read_files(blocks: Blocks, doubtful: dict[int, str]) -> None:
    for source, numbers in _sources(doubtful):
        for number in numbers:
            block_id = source.pk << BLOCK_BITS | number
            start, end = block_extent(number, source.archived)
            if start == end:
                continue
            content_hash = blocks.hashes.get(block_id)
            data = file_bytes(source, start, end)
            if data is not None and content_hash is not None and print_of(data) == content_hash:
                blocks.raw[block_id] = data
                repairable_blocks.add(block_id)
            elif data is not None and content_hash is None and is_unchanged(source):
                blocks.raw[block_id] = data
            else:
                blocks.damage[block_id] = ArchiveDamageError(source.pk, start, end, doubtful[block_id])


def _sources(ids: Iterable[int]) -> Iterator[tuple[Source, list[int]]]:
    numbers_by_source: dict[int, list[int]] = {}
    for block_id in ids:
        numbers_by_source.setdefault(block_id >> BLOCK_BITS, []).append(block_id & NUMBER_MASK)
    for source in Source.objects.filter(pk__in=numbers_by_source):
        yield source, numbers_by_source[source.pk]


def file_bytes(source: Source, start: int, end: int) -> bytes | None:
    """What the file contains there now; None if it is gone or too short."""
    with suppress(OSError), decode_path(source.path).open("rb") as file:
        data = _read_at(file, start, end - start)
        return data if len(data) == end - start else None
    return None


def is_unchanged(source: Source) -> bool:
    """Whether the file is still the one that was archived, as far as its size and time tell."""
    with suppress(OSError):
        status = decode_path(source.path).stat()
        return status.st_size == source.archived and status.st_mtime_ns == source.mtime_ns
    return False


def _read_at(file: BinaryIO, start: int, length: int) -> bytes:
    file.seek(start)
    return file.read(length)
