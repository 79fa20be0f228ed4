"""Where a needle stands in many sources: looked for in the files that are still what was archived, for nothing has to
be decompressed there, and else in the archive."""

from __future__ import annotations

import multiprocessing
import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import islice

from django.db import connection, connections

from sessions.engine.archive import BLOCK_SIZE, decompress
from sessions.engine.needles import Needle
from sessions.engine.paths import opened
from sessions.engine.place import BLOCK_BITS
from sessions.selectors.archive import blocks_on_disk

FILE_PIECE = 256 * 1024
"""Small enough to be still in the processor's cache when it is searched."""
WORTH_PROCESSES = 64 * 1024 * 1024
FILES_AT_ONCE = 4
BLOCKS_AT_ONCE = 48
GROUPS_AHEAD = 2
THREADS = 2
"""Decompression runs outside of Python's lock."""

Piece = tuple[int, bytes | memoryview]
"""Offset, and bytes that are good until the next piece is asked for."""


@dataclass(frozen=True, slots=True)
class Place:
    source_id: int
    path: str
    size: int
    """Bytes that are archived of it."""
    mtime_ns: int


def offsets_in(places: Sequence[Place], needle: Needle, processes: int = 0) -> Iterator[list[int]]:
    """For each place where the needle stands in it. With processes, files are searched by several at once."""
    if processes < 2 or sum(place.size for place in places) < WORTH_PROCESSES:
        yield from _with_archive(places, map(partial(_offsets_on_disk, needle), places), needle)
        return
    connections.close_all()  # a connection must not be carried into a forked process
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        found = pool.imap(partial(_offsets_on_disk, needle), places, FILES_AT_ONCE)
        yield from _with_archive(places, found, needle)


def _with_archive(places: Sequence[Place], found: Iterable[list[int] | None], needle: Needle) -> Iterator[list[int]]:
    with ThreadPoolExecutor(THREADS) as pool:
        for place, offsets in zip(places, found, strict=True):
            yield _offsets(_archived(place, pool), needle) if offsets is None else offsets


def _offsets_on_disk(needle: Needle, place: Place) -> list[int] | None:
    """None if the file is not what it was when it was archived."""
    try:
        with opened(place.path).open("rb", buffering=0) as file:
            status = os.fstat(file.fileno())
            if status.st_size != place.size or status.st_mtime_ns != place.mtime_ns:
                return None
            buffer = memoryview(bytearray(min(FILE_PIECE, place.size)))
            pieces = iter(lambda: buffer[: file.readinto(buffer)], b"")
            return _offsets(_placed(pieces), needle)
    except OSError:
        return None


def _placed(pieces: Iterable[bytes | memoryview]) -> Iterator[Piece]:
    at = 0
    for piece in pieces:
        yield at, piece
        at += len(piece)


def _offsets(pieces: Iterable[Piece], needle: Needle) -> list[int]:
    offsets: list[int] = []
    tail = b""
    for at, raw in pieces:
        if tail:
            seam = tail + bytes(raw[: needle.overlap])
            offsets += [at - len(tail) + offset for offset in needle.find(seam)]
        offsets += [at + offset for offset in needle.find(raw)]
        tail = bytes(raw[-needle.overlap :])
    return sorted(set(offsets))


def _archived(place: Place, pool: ThreadPoolExecutor) -> Iterator[Piece]:
    """Decompressed ahead of the one that is looked at."""
    numbers = iter(range((place.size + BLOCK_SIZE - 1) // BLOCK_SIZE))
    ahead: deque[list[tuple[int, Future[bytes]]]] = deque()
    while True:
        group = list(islice(numbers, BLOCKS_AT_ONCE))
        if group:
            ahead.append(_submit(pool, place, group))
        if not ahead:
            return
        if not group or len(ahead) >= GROUPS_AHEAD:
            for number, future in ahead.popleft():
                yield number * BLOCK_SIZE, future.result()


def _submit(pool: ThreadPoolExecutor, place: Place, numbers: Iterable[int]) -> list[tuple[int, Future[bytes]]]:
    wanted = {place.source_id << BLOCK_BITS | number: number for number in numbers}
    marks = ",".join(["%s"] * len(wanted))
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT id, data FROM transcripts_block WHERE id IN ({marks})", list(wanted))
        found = dict(cursor.fetchall())
    ready = blocks_on_disk(wanted.keys() - found.keys())
    return [
        (number, pool.submit(decompress, found[block]) if block in found else pool.submit(bytes, ready[block]))
        for block, number in wanted.items()
        if block in found or block in ready
    ]
