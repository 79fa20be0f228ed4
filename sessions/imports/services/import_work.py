"""Writes what the scanners of an import deliver: rows first, then bytes and words."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing

from django.db import connections, transaction
from django.db.models import QuerySet

from inspector.locks.hosts import this_host
from sessions.archive.engine.damage import DamageError
from sessions.imports.services.import_lock import ImportLock
from sessions.imports.services.jobs import Delivery, Job, Packing
from sessions.imports.services.plan import Plan
from sessions.imports.services.report import Progress
from sessions.imports.services.settle import settle
from sessions.imports.services.shared.sharing import Share
from sessions.imports.services.writer import RowBuffer, WriteCounts
from sessions.linking.services.families import spilled_unite
from sessions.models import Source, Transcript
from sessions.search.services.indexing import TextSpool, index_owed, index_spooled
from sessions.transcripts.engine.paths import decode_path

COMMIT_BYTES = 48 * 1024 * 1024
COMMIT_SECONDS = 2.0
_UNSETTLED = Transcript.objects.filter(settled=False, entries__gt=0)
BUFFER_BYTES = 12 * 1024 * 1024
"""Of the files, whose rows are kept before they are written: a few megabytes in memory."""

Listener = Callable[[Progress], None]
Check = Callable[[], None]


class ImportWork:
    """Writes what the scanners deliver, in transactions that are large enough to be quick and small enough to lose
    little."""

    def __init__(
        self,
        plan: Plan,
        written: WriteCounts,
        progress: Progress,
        lock: ImportLock,
        workers: int,
        listener: Listener | None = None,
        check: Check | None = None,
    ) -> None:
        self.touched: dict[int, int] = {}
        """Transcript -> the first position that is new in it."""
        self._plan = plan
        self._written = written
        self._progress = progress
        self._lock = lock
        self._listener = listener or (lambda _progress: None)
        self._check = check or (lambda: None)
        self._workers = workers
        self._unlinked: set[int] = set()
        self._spool = TextSpool()
        self._buffer = RowBuffer(written)

    def read(self, shared: Share | None = None) -> None:
        """Reads all lines. After this every session can be shown."""
        self._adopt(_UNSETTLED.filter(source__host=this_host()))
        self._listener(self._progress)
        if shared is None:
            self._read(self._plan.jobs)
        else:
            self._read_along(shared)
        self._finish()

    def _read(self, jobs: Sequence[Job]) -> None:
        with closing(self._deliveries(jobs, self._workers)) as deliveries:
            self._drain(deliveries)

    def _read_along(self, shared: Share) -> None:
        """Reads some of the files while workers read the others."""
        with shared:
            for jobs in shared.portions():
                self._check()
                self._read(jobs)
                self._take_over(shared)
            self._take_over(shared)

    def _take_over(self, shared: Share) -> None:
        """Counts what workers have read as if this process had read it."""
        progress = self._progress
        for outcome in shared.outcomes():
            for transcript_id, first in outcome.touched.items():
                self.touched[transcript_id] = min(first, self.touched.get(transcript_id, first))
            self._unlinked |= outcome.unlinked
            for table, count in outcome.rows.items():
                self._written.add(table, count)
            progress.bytes += outcome.bytes
            progress.files += outcome.files
            progress.entries += outcome.entries
            progress.indexed += outcome.indexed
        progress.workers = len(shared.workers)
        self._listener(progress)

    def archive(self) -> None:
        """Packs the bytes that were left for later, and indexes the texts, side by side."""
        self._progress.phase = "indexing"
        self._listener(self._progress)
        owed = Source.objects.filter(owed=True, state=Source.State.PRESENT, host=this_host())
        packings = [
            Packing(source.pk, str(decode_path(source.path)), source.size, source.imported, bytes(source.tail_hash))
            for source in owed
        ]
        with closing(self._deliveries(packings, 1)) as deliveries:  # packing takes less time than indexing
            self._index(deliveries)
            self._drain(deliveries)
        index_owed(self._written, self._lock)

    def _index(self, deliveries: Iterator[Delivery]) -> None:
        """Indexes what waits in the spool, and archives some bytes after each piece."""
        buffered = 0

        def pack_some() -> None:
            nonlocal buffered
            self._check()
            delivery = next(deliveries, None)
            buffered += self._add_delivery(delivery) if delivery is not None else 0
            if buffered >= BUFFER_BYTES:
                self._buffer.write()
                buffered = 0

        for entries in index_spooled(self._spool, self._written, self._lock.guard, pack_some):
            self._progress.indexed += entries
            self._listener(self._progress)
        self._spool.close()

    def _deliveries(self, tasks: Sequence[Job | Packing], processes: int) -> Generator[Delivery]:
        if not tasks:
            return _no_deliveries()
        # Loaded only now, because most imports find nothing new.
        from sessions.imports.services.pool import scan_all

        if self._workers < 2:
            return scan_all(tasks, 0)
        connections.close_all()  # a forked process must not inherit a connection
        return scan_all(tasks, processes)

    def _drain(self, deliveries: Iterator[Delivery]) -> None:
        ended = False
        while not ended:
            started, size, buffered = time.monotonic(), 0, 0
            with transaction.atomic():
                self._lock.guard()
                while size < COMMIT_BYTES and time.monotonic() - started < COMMIT_SECONDS:
                    self._check()
                    delivery = next(deliveries, None)
                    if delivery is None:
                        ended = True
                        break
                    size += self._add_delivery(delivery)
                    if size - buffered >= BUFFER_BYTES:
                        self._buffer.write()
                        buffered = size
                self._buffer.write()
            self._listener(self._progress)

    def _add_delivery(self, delivery: Delivery) -> int:
        """Returns how many bytes of the file it covers."""
        if delivery.error:
            self._plan.failed.append(delivery.error)
            return 0
        self._buffer.add(delivery.rows)
        transcript_id, first = delivery.transcript_id, delivery.first
        if transcript_id is not None:
            # Even a stretch of nothing but broken lines has changed its transcript.
            self.touched[transcript_id] = min(first, self.touched.get(transcript_id, first))
            self._progress.entries += delivery.entries
            if delivery.entries:
                self._spool.add(transcript_id, first, first + delivery.entries, delivery.texts)
            if delivery.unlinked:
                self._unlinked.add(transcript_id)
        if self._progress.phase == "reading":
            self._progress.bytes += delivery.size
            self._progress.files += delivery.last
        return delivery.size

    def _finish(self) -> None:
        if not self._plan.jobs and not _UNSETTLED.exists():
            return
        with self._lock.alone(self._check), transaction.atomic():
            self._lock.guard_all()
            # Hosts that are importing settle theirs themselves.
            busy = self._lock.busy_hosts()
            self._adopt(_UNSETTLED.exclude(source__host__in=[this_host(), *busy]))
            if self._unlinked:
                self._relink()
            settle(self.touched, self._written)
            if any(job.transcript_id is None for job in self._plan.jobs):
                spilled_unite()

    def _adopt(self, unsettled: QuerySet[Transcript]) -> None:
        """Takes over what an interrupted import wrote but did not settle: links and totals from the first entry on."""
        for pk, links in unsettled.values_list("pk", "state__links"):
            self.touched[pk] = 0
            if links is None:
                self._unlinked.add(pk)

    def _relink(self) -> None:
        from sessions.linking.services.relink import relink

        for transcript in Transcript.objects.filter(pk__in=self._unlinked):
            try:
                relink(transcript, self._written)
            except DamageError as error:
                # What is known of its links stays, and the next import tries again.
                self._plan.failed.append(f"{transcript.public_id}: it cannot be linked anew. {error}")


def _no_deliveries() -> Generator[Delivery]:
    yield from ()
