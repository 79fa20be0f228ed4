"""Is the archive sound? Every block of every source is decompressed and compared with what the source says of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import zstandard
from django.db import connection
from django.db.models import Count, Q, Sum

from sessions.engine.archive import BLOCK_SIZE
from sessions.engine.place import BLOCK_BITS
from sessions.engine.prints import PRINT_BYTES, print_of
from sessions.models import Block, Source

BLOCKS_AT_ONCE = 16
SOURCES_AT_ONCE = 500
TRIES = 3
"""A file may be imported while it is looked at; then what was found counts for nothing."""


@dataclass(frozen=True, slots=True)
class Extent:
    files: int
    bytes: int
    owed: int
    """Files whose bytes a large import has not archived yet."""


@dataclass(frozen=True, slots=True)
class Damage:
    path: str
    what: str


@dataclass(frozen=True, slots=True)
class Step:
    """A few blocks; the last of a file says so, with what is wrong in it."""

    blocks: int = 0
    bytes: int = 0
    last: bool = False
    damage: tuple[Damage, ...] = ()


def archive_extent() -> Extent:
    sums = Source.objects.aggregate(
        files=Count("pk", filter=Q(archived__gt=0)), bytes=Sum("archived"), owed=Count("pk", filter=Q(owed=True))
    )
    return Extent(files=sums["files"], bytes=sums["bytes"] or 0, owed=sums["owed"])


def archive_steps() -> Iterator[Step]:
    after = 0
    while True:
        some = list(Source.objects.filter(pk__gt=after, archived__gt=0).order_by("pk")[:SOURCES_AT_ONCE])
        for source in some:
            yield from _source_steps(source)
        if len(some) < SOURCES_AT_ONCE:
            return
        after = some[-1].pk


def _source_steps(source: Source) -> Iterator[Step]:
    seen = source
    for attempt in range(TRIES):
        look = _Look(seen)
        for step in look.steps():
            # What is looked at once more is not counted once more.
            yield Step() if attempt else step
        now = Source.objects.filter(pk=source.pk).first() if look.found else seen
        if now is None:
            break
        if (now.archived, bytes(now.tail_hash)) == (seen.archived, bytes(seen.tail_hash)):
            yield Step(last=True, damage=tuple(Damage(now.path, what) for what in look.found))
            return
        seen = now
    yield Step(last=True)


@dataclass(slots=True)
class _Look:
    """One look at the blocks of a source."""

    source: Source
    found: list[str] = field(default_factory=list)
    _tail: bytes = b""

    def steps(self) -> Iterator[Step]:
        size = self.source.archived
        count = -(-size // BLOCK_SIZE)
        decompressor = zstandard.ZstdDecompressor()
        for start in range(0, count, BLOCKS_AT_ONCE):
            stop = min(start + BLOCKS_AT_ONCE, count)
            packed = self._packed(start, stop)
            good = 0
            for number in range(start, stop):
                expected = min(BLOCK_SIZE, size - number * BLOCK_SIZE)
                good += self._block(decompressor, number, packed.get(number), expected)
            yield Step(blocks=stop - start, bytes=good)
        self._ends(count)

    def _packed(self, start: int, stop: int) -> dict[int, bytes]:
        first = self.source.pk << BLOCK_BITS
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT id, data FROM transcripts_block WHERE id >= %s AND id < %s", [first + start, first + stop]
            )
            return {block - first: data for block, data in cursor.fetchall()}

    def _block(self, decompressor: zstandard.ZstdDecompressor, number: int, packed: bytes | None, size: int) -> int:
        if packed is None:
            self.found.append(f"block {number} is missing")
            return size
        try:
            raw = decompressor.decompress(packed, max_output_size=BLOCK_SIZE)
        except (zstandard.ZstdError, MemoryError) as error:
            self.found.append(f"block {number} cannot be decompressed ({error})")
            return size
        if len(raw) != size:
            self.found.append(f"block {number} holds {len(raw):,} bytes instead of {size:,}")
        if not number and len(raw) >= PRINT_BYTES and self.source.head_hash:
            self._compare(raw[:PRINT_BYTES], bytes(self.source.head_hash), "first")
        self._tail = (self._tail + raw)[-PRINT_BYTES:] if len(raw) < PRINT_BYTES else raw[-PRINT_BYTES:]
        return size

    def _ends(self, count: int) -> None:
        first = self.source.pk << BLOCK_BITS
        beyond = Block.objects.filter(pk__gte=first + count, pk__lt=first + (1 << BLOCK_BITS)).count()
        if beyond:
            self.found.append(f"{beyond} more blocks than its {self.source.archived:,} bytes need")
        if self.source.tail_hash and not self.source.owed and not self.found:
            self._compare(self._tail, bytes(self.source.tail_hash), "last")

    def _compare(self, data: bytes, expected: bytes, which: str) -> None:
        if print_of(data) != expected:
            self.found.append(f"its {which} bytes are not those that were archived")
