"""Searches many sources: in their files if these are unchanged, which needs no decompression, else in the archive."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice

import zstandard
from django.db import connections

from sessions.archive.engine.damage import UNREADABLE, ArchiveDamageError
from sessions.archive.engine.frames import BLOCK_SIZE, decompress
from sessions.archive.selectors.blocks import Blocks, load_blocks
from sessions.search.engine.needles import Needle
from sessions.search.selectors.file_search import ArchivedFile, FileScanner
from sessions.search.selectors.parallel_search import find_offsets_in_parallel
from sessions.transcripts.engine.entry_ids import BLOCK_BITS

WORTH_PROCESSES = 64 * 1024 * 1024
BLOCKS_AT_ONCE = 48
GROUPS_AHEAD = 2
THREADS = 2
"""Decompression releases the GIL."""


def find_offsets_in(
    source_files: Sequence[ArchivedFile],
    needle: Needle,
    processes: int = 0,
    damage: list[ArchiveDamageError] | None = None,
) -> Iterator[list[int]]:
    """The offsets of the needle in each file. `damage` gets what cannot be searched."""
    damage = [] if damage is None else damage
    if processes < 2 or sum(source_file.size for source_file in source_files) < WORTH_PROCESSES:
        yield from _with_archive(source_files, map(FileScanner(needle).find_offsets, source_files), needle, damage)
        return
    connections.close_all()  # forked processes must not inherit a connection
    yield from _with_archive(source_files, find_offsets_in_parallel(source_files, needle, processes), needle, damage)


def _with_archive(
    source_files: Sequence[ArchivedFile],
    offsets_by_file: Iterable[list[int] | None],
    needle: Needle,
    damage: list[ArchiveDamageError],
) -> Iterator[list[int]]:
    with ThreadPoolExecutor(THREADS) as pool:
        for source_file, offsets in zip(source_files, offsets_by_file, strict=True):
            yield _find_in_archive(source_file, needle, pool, damage) if offsets is None else offsets


def _find_in_archive(
    source_file: ArchivedFile, needle: Needle, pool: ThreadPoolExecutor, damage: list[ArchiveDamageError]
) -> list[int]:
    offsets: set[int] = set()
    tail, end = b"", 0
    for start, raw in _read_archive(source_file, pool, damage):
        if tail and start == end:
            border = tail + raw[: needle.overlap]
            offsets.update(start - len(tail) + offset for offset in needle.find(border))
        offsets.update(start + offset for offset in needle.find(raw))
        tail, end = raw[-needle.overlap :], start + len(raw)
    return sorted(offsets)


def _read_archive(
    source_file: ArchivedFile, pool: ThreadPoolExecutor, damage: list[ArchiveDamageError]
) -> Iterator[tuple[int, bytes]]:
    """Blocks with their offsets, decompressed ahead. Damaged blocks are left out."""
    numbers = iter(range((source_file.size + BLOCK_SIZE - 1) // BLOCK_SIZE))
    ahead: deque[_Group] = deque()
    while True:
        group = list(islice(numbers, BLOCKS_AT_ONCE))
        if group:
            ahead.append(_Group(pool, source_file, group))
        if not ahead:
            return
        if not group or len(ahead) >= GROUPS_AHEAD:
            yield from ahead.popleft().take(damage)


class _Group:
    """Blocks of a file that a thread pool decompresses."""

    def __init__(self, pool: ThreadPoolExecutor, source_file: ArchivedFile, numbers: Iterable[int]) -> None:
        self._first = source_file.source_id << BLOCK_BITS
        self._numbers = list(numbers)
        self._blocks: Blocks = load_blocks([self._first | number for number in self._numbers])
        self._waiting: dict[int, Future[bytes]] = {
            block_id: pool.submit(decompress, data, BLOCK_SIZE) for block_id, data in self._blocks.frames.items()
        }

    def take(self, damage: list[ArchiveDamageError]) -> Iterator[tuple[int, bytes]]:
        for number in self._numbers:
            raw = self._raw(self._first | number)
            if raw is not None:
                yield number * BLOCK_SIZE, raw
        damage += self._blocks.damage.values()

    def _raw(self, block_id: int) -> bytes | None:
        if block_id not in self._waiting:
            return self._blocks.raw.get(block_id)
        try:
            return self._waiting[block_id].result()
        except (zstandard.ZstdError, MemoryError):
            return self._blocks.read_from_file(block_id, UNREADABLE)
