"""Where a needle stands in many sources: looked for in the files that are still what was archived, for nothing has to
be decompressed there, and else in the archive."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice

from django.db import connection, connections

from sessions.engine.archive import BLOCK_SIZE, decompress
from sessions.engine.needles import Needle
from sessions.engine.place import BLOCK_BITS
from sessions.selectors.archive import blocks_on_disk
from sessions.selectors.fanout import offsets_by_many
from sessions.selectors.ondisk import FileScanner, Place

WORTH_PROCESSES = 64 * 1024 * 1024
BLOCKS_AT_ONCE = 48
GROUPS_AHEAD = 2
THREADS = 2
"""Decompression runs outside of Python's lock."""


def offsets_in(places: Sequence[Place], needle: Needle, processes: int = 0) -> Iterator[list[int]]:
    """For each place where the needle stands in it. With processes, files are searched by several at once."""
    if processes < 2 or sum(place.size for place in places) < WORTH_PROCESSES:
        yield from _with_archive(places, map(FileScanner(needle).offsets, places), needle)
        return
    connections.close_all()  # a connection must not be carried into a forked process
    yield from _with_archive(places, offsets_by_many(places, needle, processes), needle)


def _with_archive(places: Sequence[Place], found: Iterable[list[int] | None], needle: Needle) -> Iterator[list[int]]:
    with ThreadPoolExecutor(THREADS) as pool:
        for place, offsets in zip(places, found, strict=True):
            yield _offsets_archived(place, needle, pool) if offsets is None else offsets


def _offsets_archived(place: Place, needle: Needle, pool: ThreadPoolExecutor) -> list[int]:
    offsets: set[int] = set()
    tail = b""
    for at, raw in _archived(place, pool):
        if tail:
            seam = tail + raw[: needle.overlap]
            offsets.update(at - len(tail) + offset for offset in needle.find(seam))
        offsets.update(at + offset for offset in needle.find(raw))
        tail = raw[-needle.overlap :]
    return sorted(offsets)


def _archived(place: Place, pool: ThreadPoolExecutor) -> Iterator[tuple[int, bytes]]:
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
