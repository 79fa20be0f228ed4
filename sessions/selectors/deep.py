"""Searches everything in the archive, tool output too, in slices: the first hits come at once, and stopping is free."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePath

import zstandard
from django.db import connection

from sessions.engine.archive import BLOCK_SIZE
from sessions.engine.flags import Flag
from sessions.engine.place import POSITION_BITS
from sessions.engine.snippets import Needle, pieces
from sessions.models import Entry, Source, Transcript
from sessions.models.archive import BLOCK_BITS
from sessions.selectors.archive import Reader
from sessions.selectors.search import Hit, role_of

BLOCKS_AT_ONCE = 32
HITS_PER_ENTRY = 1


@dataclass(frozen=True, slots=True)
class DeepSlice:
    hits: tuple[Hit, ...]
    cursor: str
    """Where the next slice goes on; empty when everything was searched."""
    done_bytes: int
    total_bytes: int


@dataclass(slots=True)
class DeepSearch:
    """A scan over the archive, newest files first. Iterate over `hits()`; `cursor` says where to go on."""

    text: str
    project: int | None = None
    done_bytes: int = 0
    total_bytes: int = 0
    _sources: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        sources = Source.objects.exclude(state=Source.State.REPLACED).filter(archived__gt=0)
        if self.project is not None:
            sources = sources.filter(transcript__project=self.project) | sources.filter(owner__project=self.project)
        self._sources = list(sources.order_by("-mtime_ns", "-id").values_list("id", "archived"))
        self.total_bytes = sum(size for _, size in self._sources)

    def hits(self, start: int = 0) -> Iterator[tuple[int, Hit | None]]:
        """(number of files searched, hit), with None after each file so that the caller can stop there."""
        needle = Needle.of(self.text)
        self.done_bytes = sum(size for _, size in self._sources[:start])
        if not needle.forms:
            return
        for number in range(start, len(self._sources)):
            source_id, size = self._sources[number]
            offsets = list(_offsets(source_id, size, needle))
            if offsets:
                for hit in _hits_in(source_id, offsets, needle):
                    yield number, hit
            self.done_bytes += size
            yield number + 1, None


def deep_slice(
    text: str, cursor: str = "", *, seconds: float = 0.4, limit: int = 50, project: int | None = None
) -> DeepSlice:
    """Search on from `cursor` for about so long, or until there are `limit` hits."""
    search = DeepSearch(text, project)
    begun, found, at = time.monotonic(), [], 0
    start = int(cursor) if cursor.isdigit() else 0
    for at, hit in search.hits(start):
        if hit is not None:
            found.append(hit)
        elif len(found) >= limit or time.monotonic() - begun > seconds:
            break
    ended = at >= len(search._sources) or not search._sources or search.done_bytes >= search.total_bytes
    return DeepSlice(tuple(found), "" if ended else str(at), search.done_bytes, search.total_bytes)


def _offsets(source_id: int, size: int, needle: Needle) -> Iterator[int]:
    """Byte offsets in the file where the needle stands, at most one per entry being of interest."""
    base = source_id << BLOCK_BITS
    count = (size + BLOCK_SIZE - 1) // BLOCK_SIZE
    decompressor = zstandard.ZstdDecompressor()
    tail = b""
    for first in range(0, count, BLOCKS_AT_ONCE):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT data FROM transcripts_block WHERE id >= %s AND id < %s ORDER BY id",
                [base | first, base | min(first + BLOCKS_AT_ONCE, count)],
            )
            rows = cursor.fetchall()
        for number, (data,) in enumerate(rows, first):
            raw = tail + decompressor.decompress(data, max_output_size=BLOCK_SIZE)
            at = number * BLOCK_SIZE - len(tail)
            for offset in needle.find(raw):
                yield at + offset
            tail = raw[-(needle.longest - 1) :] if needle.longest > 1 else b""


def _hits_in(source_id: int, offsets: list[int], needle: Needle) -> Iterator[Hit]:
    transcript = Transcript.objects.filter(source=source_id).select_related("project").defer("state", "ruler").first()
    if transcript is None:
        yield from _spilled(source_id, offsets, needle)
        return
    base = transcript.pk << POSITION_BITS
    entries = list(Entry.objects.filter(pk__gte=base, pk__lt=base + (1 << POSITION_BITS)).order_by("pk"))
    starts = [entry.offset for entry in entries]
    reader = Reader(source_id)
    seen: set[int] = set()
    for offset in offsets:
        index = bisect_right(starts, offset) - 1
        if index < 0 or index in seen or offset >= starts[index] + entries[index].length:
            continue
        seen.add(index)
        entry = entries[index]
        text = needle.text_in(reader.record(entry.offset, entry.length))
        if text is not None:
            yield _hit(transcript, entry, reader, text, needle)


def _hit(transcript: Transcript, entry: Entry, reader: Reader, text: str, needle: Needle) -> Hit:
    uuid = reader.record(entry.offset, entry.length).get("uuid")
    return Hit(
        session=transcript.public_id,
        title=transcript.title or transcript.first_prompt,
        project=transcript.project.name,
        address=uuid if isinstance(uuid, str) and uuid else f"L{entry.position}",
        position=entry.position,
        at=entry.at,
        role=role_of(entry),
        snippet=needle.snippet(text),
    )


def _spilled(source_id: int, offsets: list[int], needle: Needle) -> Iterator[Hit]:
    """Output that the client wrote to a file of its own: the hit is the entry that points there."""
    source = Source.objects.select_related("owner", "owner__project").get(pk=source_id)
    transcript = source.owner
    if transcript is None:
        return
    entry = spilled_entry(transcript, PurePath(source.path).name)
    around = Reader(source_id).read(max(0, offsets[0] - 2000), min(source.archived, 6000))
    text = needle.text_in({"text": around.decode("utf-8", "replace")})
    if entry is not None and text is not None:
        yield _hit(transcript, entry, Reader(transcript.source_id), text, needle)


def spilled_entry(transcript: Transcript, name: str) -> Entry | None:
    """The tool result that says it was saved to the file of this name."""
    base = transcript.pk << POSITION_BITS
    reader = Reader(transcript.source_id)
    rows = Entry.objects.filter(pk__gte=base, pk__lt=base + (1 << POSITION_BITS)).extra(
        where=["(flags & %s) != 0"], params=[int(Flag.RESULT)]
    )
    for entry in rows.order_by("pk"):
        if name.encode() in reader.read(entry.offset, entry.length):
            return entry
    return None
