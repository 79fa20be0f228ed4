"""Builds the text index after the rows are written, so that sessions can be read before they are indexed.

The texts of a large import wait in a spool file. Each transcript stores how far it is indexed; what a killed import
left is read from the archive."""

from __future__ import annotations

import logging
import pickle
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, Q, QuerySet

from inspector.locks.hosts import own_hosts
from sessions.archive.engine.damage import DamageError
from sessions.archive.selectors.records import Reader
from sessions.imports.services.import_lock import ImportLock
from sessions.imports.services.writer import WriteCounts
from sessions.models import Entry, Transcript
from sessions.search.services import text_index
from sessions.transcripts.engine.entry_ids import POSITION_BITS, POSITION_MASK
from sessions.transcripts.engine.flags import Flag

Texts = Sequence[tuple[int, str]]
COMMIT_CHARS = 64_000_000
COMMIT_SECONDS = 3.0
"""Nobody else can write during a transaction, and others give up after four seconds."""
SERVER_COMMIT_SECONDS = 2.0
"""On PostgreSQL, imports of other hosts wait for the end of each transaction."""
AT_ONCE = 500

logger = logging.getLogger(__name__)


class TextSpool:
    """Texts that wait for the index, in a temporary file, because they may not fit into memory."""

    def __init__(self) -> None:
        home = Path(settings.LUCID_HOME)
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._file: IO[bytes] = tempfile.TemporaryFile(dir=home)  # noqa: SIM115 - closed by close
        self._pieces: list[tuple[int, int, int, int]] = []

    def add(self, transcript_id: int, first: int, end: int, texts: bytes) -> None:
        """`texts`: as pickled by the scanner."""
        self._pieces.append((transcript_id, first, end, self._file.tell()))
        self._file.write(texts)

    def __iter__(self) -> Iterator[tuple[int, int, int, Texts]]:
        """In the order of their rows, because FTS5 starts a new segment for each row that is out of order."""
        for transcript_id, first, end, offset in sorted(self._pieces):
            self._file.seek(offset)
            yield transcript_id, first, end, pickle.load(self._file)  # noqa: S301 - our own temporary file

    def close(self) -> None:
        self._file.close()


def index_spooled(
    spool: TextSpool, written: WriteCounts, guard: Callable[[], None], meanwhile: Callable[[], None]
) -> Iterator[int]:
    """Indexes waiting texts in large transactions, and yields the number of entries of each. `guard` is called at the
    beginning of each transaction, `meanwhile` for every piece in it."""
    indexed = dict(Transcript.objects.values_list("pk", "indexed"))
    pieces = iter(spool)
    is_done = False
    seconds = SERVER_COMMIT_SECONDS if connection.vendor == "postgresql" else COMMIT_SECONDS
    while not is_done:
        chars = entries = 0
        started = time.monotonic()
        with transaction.atomic():
            guard()
            while chars < COMMIT_CHARS and time.monotonic() - started < seconds:
                piece = next(pieces, None)
                if piece is None:
                    is_done = True
                    break
                transcript_id, first, end, texts = piece
                if indexed.get(transcript_id, 0) < first:
                    index_archived(transcript_id, indexed.get(transcript_id, 0), first, written)
                index_texts(transcript_id, end, texts, written)
                indexed[transcript_id] = end
                chars += sum(len(text) for _, text in texts)
                entries += end - first
                meanwhile()
        yield entries


def index_texts(transcript_id: int, end: int, texts: Texts, written: WriteCounts) -> None:
    """Adds the texts of the entries up to `end`, which follow those that are indexed already."""
    with connection.cursor() as cursor:
        text_index.add_texts(cursor, texts)
        cursor.execute("UPDATE transcripts_transcript SET indexed = %s WHERE id = %s", [end, transcript_id])
    written.add("text", len(texts))


def index_owed(written: WriteCounts, lock: ImportLock) -> None:
    """Indexes what interrupted imports wrote but did not index, on any host that is not importing now."""
    unindexed = Transcript.objects.filter(indexed__lt=F("entries"))
    # Bytes that are only in a file of another host are indexed by that host.
    unindexed = unindexed.exclude(Q(source__owed=True) & ~Q(source__host__in=own_hosts()))
    for host in set(unindexed.values_list("source__host", flat=True)):
        with lock.instead_of(host) as is_free:
            if is_free:
                _index_owed(unindexed.filter(source__host=host), written, lock)


def _index_owed(unindexed: QuerySet[Transcript], written: WriteCounts, lock: ImportLock) -> None:
    for pk, indexed, entries in unindexed.values_list("pk", "indexed", "entries"):
        try:
            with transaction.atomic():
                lock.guard()
                index_archived(pk, indexed, entries, written)
        except DamageError as error:
            # The next import after a repair of the block will index it.
            logger.warning("Transcript %s is not indexed: %s", pk, error)


def index_archived(transcript_id: int, first: int, end: int, written: WriteCounts) -> None:
    from sessions.imports.engine.scan.content import content_of  # imported late, because most imports do not need it

    source_id = Transcript.objects.values_list("source_id", flat=True).get(pk=transcript_id)
    base = transcript_id << POSITION_BITS
    for start in range(first, end, AT_ONCE):
        stop = min(end, start + AT_ONCE)
        reader = Reader(source_id)
        rows = Entry.objects.filter(pk__gte=base | start, pk__lt=base | stop).order_by("pk")
        texts = [
            (row.pk, content_of(row.type, reader.record(row.offset, row.length))[3])
            for row in rows
            if row.flags & Flag.TEXT
        ]
        index_texts(transcript_id, stop & POSITION_MASK, texts, written)
