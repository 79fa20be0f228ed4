"""Searches everything in the archive, including tool output, newest files first. Hits are yielded as they are found, so
the caller can stop at any time."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePath

from sessions.archive.engine.damage import ArchiveDamageError
from sessions.archive.selectors.records import Reader
from sessions.models import Entry, Source, Transcript
from sessions.search.engine.needles import Needle
from sessions.search.selectors.file_search import ArchivedFile
from sessions.search.selectors.hits import Hit, HitRow, HitTranscript, make_hit
from sessions.search.selectors.raw_search import find_offsets_in
from sessions.transcripts.engine.entry_ids import POSITION_BITS, POSITION_MASK
from sessions.transcripts.engine.flags import Flag

AROUND_BYTES = 4_000


@dataclass(frozen=True, slots=True)
class DeepSlice:
    hits: tuple[Hit, ...]
    cursor: str
    """Where the next slice continues; empty if everything was searched."""
    done_bytes: int
    total_bytes: int
    damage: tuple[ArchiveDamageError, ...] = ()
    """What could not be searched in this slice."""


@dataclass(slots=True)
class DeepSearch:
    """A scan of the archive. `files` and `done_bytes` are the progress of `hits()`."""

    text: str
    project: int | None = None
    files: int = 0
    done_bytes: int = 0
    total_bytes: int = 0
    damage: list[ArchiveDamageError] = field(default_factory=list)
    """What could not be searched."""
    _sources: list[ArchivedFile] = field(default_factory=list)

    def __post_init__(self) -> None:
        sources = Source.objects.exclude(state=Source.State.REPLACED)
        if self.project is not None:
            sources = sources.filter(transcript__project=self.project) | sources.filter(owner__project=self.project)
        rows = sources.order_by("-mtime_ns", "-id").values_list("id", "path", "archived", "size", "mtime_ns", "owed")
        self._sources = [
            ArchivedFile(pk, path, size if owed else archived, mtime)
            for pk, path, archived, size, mtime, owed in rows
            if archived or owed
        ]
        self.total_bytes = sum(source_file.size for source_file in self._sources)

    @property
    def has_ended(self) -> bool:
        return self.files >= len(self._sources)

    def hits(self, start: int = 0, processes: int = 0) -> Iterator[Hit | None]:
        """Hits as they are found, and None after each file, so that the caller can stop there."""
        needle = Needle.of(self.text)
        self.files = min(start, len(self._sources))
        self.done_bytes = sum(source_file.size for source_file in self._sources[: self.files])
        if not needle.words:
            self.files, self.done_bytes = len(self._sources), self.total_bytes
            return
        rest = self._sources[self.files :]
        for source_file, offsets in zip(rest, find_offsets_in(rest, needle, processes, self.damage), strict=True):
            if offsets:
                yield from _hits_in(source_file.source_id, offsets, needle, self.damage)
            self.files += 1
            self.done_bytes += source_file.size
            yield None


def search_slice(
    text: str, cursor: str = "", *, seconds: float = 0.4, limit: int = 50, project: int | None = None
) -> DeepSlice:
    """Continues from `cursor` for about `seconds`, or until there are `limit` hits."""
    search = DeepSearch(text, project)
    started, hits = time.monotonic(), []
    for hit in search.hits(int(cursor) if cursor.isdecimal() else 0):
        if hit is not None:
            hits.append(hit)
        elif len(hits) >= limit or time.monotonic() - started > seconds:
            break
    cursor = "" if search.has_ended else str(search.files)
    return DeepSlice(tuple(hits), cursor, search.done_bytes, search.total_bytes, tuple(search.damage))


def _hits_in(source_id: int, offsets: list[int], needle: Needle, damage: list[ArchiveDamageError]) -> Iterator[Hit]:
    transcript = (
        Transcript.objects.filter(source=source_id).select_related("project", "parent").defer("state", "ruler").first()
    )
    if transcript is None:
        try:
            yield from _spilled_hits(source_id, offsets[0], needle)
        except ArchiveDamageError as error:
            damage.append(error)
        return
    base = transcript.pk << POSITION_BITS
    entries = list(Entry.objects.filter(pk__gte=base, pk__lte=base | POSITION_MASK).order_by("pk"))
    starts = [entry.offset for entry in entries]
    reader, hit_transcript = Reader(source_id), HitTranscript.of(transcript)
    indexes: set[int] = set()
    for offset in offsets:
        index = bisect_right(starts, offset) - 1
        if index < 0 or index in indexes or offset >= starts[index] + entries[index].length:
            continue
        indexes.add(index)
        try:
            record = reader.record(entries[index].offset, entries[index].length)
        except ArchiveDamageError as error:
            damage.append(error)
            continue
        text = needle.find_text(record)
        if text is not None:
            yield make_hit(_hit_row(entries[index]), hit_transcript, record, needle.make_snippet(text))


def _spilled_hits(source_id: int, offset: int, needle: Needle) -> Iterator[Hit]:
    """Hits in a file of spilled output; they point to the entry that names the file."""
    source = Source.objects.select_related("owner", "owner__project", "owner__parent").get(pk=source_id)
    if source.owner is None:
        return
    entry = find_spilled_entry(source.owner, PurePath(source.path).name)
    start = max(0, offset - AROUND_BYTES)
    around = Reader(source_id).read(start, min(source.archived - start, 2 * AROUND_BYTES))
    text = needle.find_text(around.decode("utf-8", "replace"))
    if entry is not None and text is not None:
        record = Reader(source.owner.source_id).record(entry.offset, entry.length)
        yield make_hit(_hit_row(entry), HitTranscript.of(source.owner), record, needle.make_snippet(text))


def find_spilled_entry(transcript: Transcript, name: str) -> Entry | None:
    """The tool result that names this file of spilled output."""
    base = transcript.pk << POSITION_BITS
    reader = Reader(transcript.source_id)
    for entry in Entry.objects.filter(pk__gte=base, pk__lte=base | POSITION_MASK, type="user").order_by("pk"):
        if entry.flags & Flag.RESULT and name.encode() in reader.read(entry.offset, entry.length):
            return entry
    return None


def _hit_row(entry: Entry) -> HitRow:
    return HitRow(entry.pk, entry.offset, entry.length, entry.type, entry.at, entry.flags)
