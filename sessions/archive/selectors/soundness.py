"""Checks the archive. Every block of every source is decompressed and compared with its hash. A block without a hash is
compared with the file that it was read from, if that still exists; otherwise it must hold its records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from django.db import connection
from django.db.models import Count, Q, Sum

from sessions.archive.engine.damage import unpack_block
from sessions.archive.engine.file_prints import PRINT_BYTES, print_of
from sessions.archive.engine.frames import BLOCK_SIZE, block_extent, block_numbers
from sessions.archive.selectors.file_evidence import FileEvidence
from sessions.archive.selectors.records import parse_record
from sessions.models import Block, Entry, Source, Transcript
from sessions.transcripts.engine.entry_ids import BLOCK_BITS, POSITION_BITS, POSITION_MASK

BLOCKS_AT_ONCE = 16
SOURCES_AT_ONCE = 500
TRIES = 3
"""A file may be imported while it is looked at; then what was found counts for nothing."""


@dataclass(frozen=True, slots=True)
class ArchiveExtent:
    files: int
    bytes: int
    owed: int
    """Files whose bytes a large import has not archived yet."""


@dataclass(frozen=True, slots=True)
class Damage:
    """Something that is stored has changed. `description` continues a sentence that begins with the path."""

    path: str
    description: str
    kind: str = "block"
    """What it is a piece of: a block of a file, a capture, a version, a compaction."""
    key: int = 0
    """Of the row."""
    session: str = ""
    """The public id of the session that it belongs to; empty if it belongs to none."""
    transcript: str = ""
    """The same of the transcript: of a sub-agent, its own."""
    start: int = 0
    end: int = 0
    """Its bytes: in the file, or of the content."""
    repairable: bool = False


Hash = bytes


@dataclass(frozen=True, slots=True)
class Seal:
    """New hashes for a block that has none yet."""

    block_id: int
    content_hash: bytes
    frame_hash: bytes


@dataclass(frozen=True, slots=True)
class CheckStep:
    """A few checked blocks. The last step of a file is marked as such, with the damage in the file."""

    blocks: int = 0
    bytes: int = 0
    last: bool = False
    damage: tuple[Damage, ...] = ()
    seals: tuple[Seal, ...] = ()
    contents: int = 0
    """Captures, versions or compactions that were looked at."""
    hashes: tuple[tuple[int, Hash], ...] = ()
    """By key: of those of them that had none yet."""


def archive_extent() -> ArchiveExtent:
    sums = Source.objects.aggregate(
        files=Count("pk", filter=Q(archived__gt=0)), bytes=Sum("archived"), owed=Count("pk", filter=Q(owed=True))
    )
    return ArchiveExtent(files=sums["files"], bytes=sums["bytes"] or 0, owed=sums["owed"])


def archive_steps() -> Iterator[CheckStep]:
    after = 0
    while True:
        some = list(Source.objects.filter(pk__gt=after, archived__gt=0).order_by("pk")[:SOURCES_AT_ONCE])
        for source in some:
            yield from source_steps(source)
        if len(some) < SOURCES_AT_ONCE:
            return
        after = some[-1].pk


def source_steps(source: Source) -> Iterator[CheckStep]:
    checked = source
    for attempt in range(TRIES):
        check = _SourceCheck(checked)
        for step in check.steps():
            # Blocks that are checked twice are counted once.
            yield CheckStep(seals=step.seals) if attempt else step
        current = Source.objects.filter(pk=source.pk).first() if check.problems else checked
        if current is None:
            break
        if (current.archived, bytes(current.tail_hash)) == (checked.archived, bytes(checked.tail_hash)):
            yield CheckStep(last=True, damage=check.damage())
            return
        checked = current
    yield CheckStep(last=True)


@dataclass(slots=True)
class _StoredBlock:
    """A block as it is stored."""

    data: bytes
    content_hash: bytes | None
    frame_hash: bytes | None


@dataclass(slots=True)
class _SourceCheck:
    """Checks the blocks of one source, once."""

    source: Source
    problems: dict[int, str] = field(default_factory=dict)
    """What is wrong, by the number of the block."""
    hashes: dict[int, bytes | None] = field(default_factory=dict)
    _tail: bytes = b""
    _records: _Records | None = None
    _evidence: FileEvidence | None = None

    def steps(self) -> Iterator[CheckStep]:
        size = self.source.archived
        count = -(-size // BLOCK_SIZE)
        for start in range(0, count, BLOCKS_AT_ONCE):
            stop = min(start + BLOCKS_AT_ONCE, count)
            packed = self._load_blocks(start, stop)
            seals: list[Seal] = []
            for number in range(start, stop):
                self._check_block(number, packed.get(number), seals)
            yield CheckStep(
                blocks=stop - start, bytes=block_extent(stop - 1, size)[1] - start * BLOCK_SIZE, seals=tuple(seals)
            )
        self._check_ends(count)

    def damage(self) -> tuple[Damage, ...]:
        if not self.problems:
            return ()
        owners = Transcript.objects.filter(Q(source=self.source) | Q(spilled=self.source)).select_related("parent")
        owner = owners.only("public_id", "parent__public_id").first()
        return tuple(self._describe(number, problem, owner) for number, problem in sorted(self.problems.items()))

    def _describe(self, number: int, problem: str, owner: Transcript | None) -> Damage:
        start, end = block_extent(number, self.source.archived)
        return Damage(
            self.source.path,
            problem,
            key=self.source.pk << BLOCK_BITS | number,
            session="" if owner is None else (owner.parent or owner).public_id,
            transcript="" if owner is None else owner.public_id,
            start=min(start, self.source.archived),
            end=min(end, self.source.archived),
            repairable=start < end and self.evidence.find_block(number, self.hashes.get(number)) is not None,
        )

    @property
    def evidence(self) -> FileEvidence:
        if self._evidence is None:
            self._evidence = FileEvidence(self.source)
        return self._evidence

    def _load_blocks(self, start: int, stop: int) -> dict[int, _StoredBlock]:
        first = self.source.pk << BLOCK_BITS
        sql = "SELECT id, data, content_hash, frame_hash FROM transcripts_block WHERE id >= %s AND id < %s"
        with connection.cursor() as cursor:
            cursor.execute(sql, [first + start, first + stop])
            return {
                block - first: _StoredBlock(bytes(data), _bytes(content), _bytes(frame))
                for block, data, content, frame in cursor.fetchall()
            }

    def _check_block(self, number: int, packed: _StoredBlock | None, seals: list[Seal]) -> None:
        start, end = block_extent(number, self.source.archived)
        if packed is None:
            self.problems[number] = f"block {number} is missing"
            return
        self.hashes[number] = packed.content_hash
        raw = unpack_block(packed.data, end - start)
        if isinstance(raw, str):
            self.problems[number] = f"block {number} {raw.removeprefix('it ')}"
            return
        self._tail = (self._tail + raw)[-PRINT_BYTES:] if len(raw) < PRINT_BYTES else raw[-PRINT_BYTES:]
        if packed.content_hash is not None:
            if print_of(raw) != packed.content_hash or print_of(packed.data) != packed.frame_hash:
                self.problems[number] = f"block {number} has changed since it was archived"
            return
        file_bytes = self.evidence.find_block(number, None)
        wrong = self._find_doubt(number, raw, file_bytes)
        if wrong:
            self.problems[number] = wrong
        elif file_bytes is not None or not self._is_elsewhere():
            block_id = self.source.pk << BLOCK_BITS | number
            seals.append(Seal(block_id, print_of(raw), print_of(packed.data)))

    def _is_elsewhere(self) -> bool:
        """Whether the file is on another host. The block gets its hash on that host, where it can be compared."""
        return bool(self.source.host) and self.source.state == Source.State.PRESENT

    def _find_doubt(self, number: int, raw: bytes, file_bytes: bytes | None) -> str:
        """The evidence against a block without a hash; empty if there is none. `file_bytes`: those of its file."""
        head, tail = bytes(self.source.head_hash), bytes(self.source.tail_hash)
        if head and not number and len(raw) >= PRINT_BYTES and print_of(raw[:PRINT_BYTES]) != head:
            return "its first bytes are not those that were archived"
        last = number == (self.source.archived - 1) // BLOCK_SIZE and not self.source.owed
        # A short last block proves something only together with the one before.
        decides = last and (len(raw) >= PRINT_BYTES or not self.problems)
        if tail and decides and print_of(self._tail) != tail:
            return "its last bytes are not those that were archived"
        if file_bytes is not None:
            return "" if file_bytes == raw else f"block {number} is not what the file holds"
        if self._records is None:
            self._records = _Records(self.source)
        return self._records.find_doubt(number, raw)

    def _check_ends(self, count: int) -> None:
        first = self.source.pk << BLOCK_BITS
        beyond = Block.objects.filter(pk__gte=first + count, pk__lt=first + (1 << BLOCK_BITS)).count()
        if beyond:
            self.problems[count] = f"{beyond} more blocks than its {self.source.archived:,} bytes need"


@dataclass
class _Records:
    """Where the records of a source are, because a block that cannot be compared with anything must hold its own."""

    source: Source

    @cached_property
    def by_block(self) -> dict[int, list[tuple[int, int]]]:
        ranges: dict[int, list[tuple[int, int]]] = {}
        pk = Transcript.objects.filter(source=self.source).values_list("pk", flat=True).first()
        if pk is None:
            return ranges
        base = pk << POSITION_BITS
        rows = Entry.objects.filter(pk__gte=base, pk__lte=base | POSITION_MASK).values_list("offset", "length")
        for offset, length in rows.iterator(chunk_size=10_000):
            numbers = block_numbers(offset, length)
            if len(numbers) == 1:
                ranges.setdefault(numbers[0], []).append((offset, length))
        return ranges

    def find_doubt(self, number: int, raw: bytes) -> str:
        start = number * BLOCK_SIZE
        for offset, length in self.by_block.get(number, ()):
            try:
                parse_record(raw[offset - start : offset - start + length])
            except ValueError:
                return f"block {number} holds no record where there was one, at byte {offset:,}"
        return ""


def _bytes(value: bytes | memoryview | None) -> bytes | None:
    return None if value is None else bytes(value)
