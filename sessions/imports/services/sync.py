"""Brings the archive up to date with the files on disk. Never writes to them, and can be cut off at any point."""

from __future__ import annotations

import gc
import os
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from django.db import connection, connections, transaction
from django.db.models import Case, QuerySet, When

from inspector.locks.hosts import own_hosts, this_host
from sessions.archive.engine.damage import DamageError
from sessions.imports.engine.discovery import Candidate, discover, is_session_file, make_candidate
from sessions.imports.engine.names import WAITING
from sessions.imports.services import bulk
from sessions.imports.services.import_lock import ImportLock, import_lock
from sessions.imports.services.jobs import Delivery, Job, Packing
from sessions.imports.services.plan import Plan, Planner
from sessions.imports.services.settle import settle
from sessions.imports.services.shared.portions import portions_forget_lost
from sessions.imports.services.shared.sharing import Share, share
from sessions.imports.services.writer import RowBuffer, WriteCounts
from sessions.linking.services.families import spilled_unite
from sessions.models import Oddity, Source, Transcript
from sessions.search.services.indexing import TextSpool, index_owed, index_spooled
from sessions.transcripts.engine.paths import decode_path

COMMIT_BYTES = 48 * 1024 * 1024
COMMIT_SECONDS = 2.0
_UNSETTLED = Transcript.objects.filter(settled=False, entries__gt=0)
BUFFER_BYTES = 12 * 1024 * 1024
"""Of the files, whose rows are kept before they are written: a few megabytes in memory."""


@dataclass(slots=True)
class Progress:
    phase: str = "reading"
    files: int = 0
    files_total: int = 0
    bytes: int = 0
    bytes_total: int = 0
    entries: int = 0
    indexed: int = 0
    """Entries whose words can be searched for, of those."""
    workers: int = 0
    """Other processes that took part."""
    started: float = 0.0


@dataclass(slots=True)
class Report:
    files: int = 0
    bytes: int = 0
    entries: int = 0
    new_entries: int = 0
    recovered_entries: int = 0
    lines: int = 0
    bad_lines: int = 0
    unknown_types: dict[str, int] = field(default_factory=dict)
    rows_written: int = 0
    skipped: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    touched: list[int] = field(default_factory=list)
    workers: int = 0
    """Processes of workers that took part."""
    browsable_seconds: float = 0.0
    """When every session could be read; the text index may have taken longer."""
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Everything but our own row numbers."""
        return {name: value for name, value in asdict(self).items() if name != "touched"}


Listener = Callable[[Progress], None]
Check = Callable[[], None]


def sync(
    paths: Sequence[Path], *, listener: Listener | None = None, check: Check | None = None, workers: int | None = None
) -> Report:
    """Import everything below `paths` that is new or has changed. What `check` raises ends it: it is called for every
    few megabytes, and what is committed by then stays."""
    started = time.monotonic()
    roots = [Path(os.path.abspath(path.expanduser())) for path in paths]
    candidates = list(discover(roots))
    task = Import(workers or os.cpu_count() or 1, listener, check)
    with collector_paused():
        task.run(candidates, [root for root in roots if root.is_dir()])
    report = _report(task, {candidate.path for candidate in candidates})
    report.browsable_seconds = round(task.browsable_at - started, 3)
    report.seconds = round(time.monotonic() - started, 3)
    return report


def sync_files(paths: Sequence[Path]) -> list[int]:
    """The quick way for files that the watcher saw change. Returns the transcripts that grew."""
    candidates = _files(path for path in paths if is_session_file(path.name, str(path.parent)))
    if not candidates:
        return []
    task = Import(workers=1)
    task.run_few(candidates)
    return list(task.touched)


def _files(paths: Iterable[Path]) -> list[Candidate]:
    return [make_candidate(os.path.abspath(path), path.stat()) for path in paths if path.is_file()]


@contextmanager
def collector_paused() -> Iterator[None]:
    """Millions of tuples and not one cycle: looking for cycles among them takes a tenth of an import."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Import:
    """Everything that was asked for at a time. Files that another host is reading are looked at again when it is done:
    it may have stored them, or died."""

    def __init__(self, workers: int, listener: Listener | None = None, check: Check | None = None) -> None:
        self.plan = Plan()
        """Of all that was asked for."""
        self.written = WriteCounts()
        self.progress = Progress(started=time.time())
        self.touched: dict[int, int] = {}
        self.browsable_at = 0.0
        """When every session could be read."""
        self._workers = workers
        self._listener = listener
        self._check = check

    def run(self, candidates: Sequence[Candidate], roots: Sequence[Path]) -> None:
        self.plan = self._import_all(candidates, None, roots)
        self._import_postponed(self._import_all)

    def run_few(self, candidates: Sequence[Candidate]) -> None:
        self.plan = self._import_few(candidates, [candidate.path for candidate in candidates])
        self._import_postponed(self._import_few)

    def _import_postponed(self, import_some: Callable[[Sequence[Candidate], Sequence[str]], Plan]) -> None:
        postponed = self.plan.left_to_hosts
        while postponed:
            self._wait_for({host for _, host in postponed})
            candidates = _files(decode_path(candidate.path) for candidate, _ in postponed)
            plan = import_some(candidates, [candidate.path for candidate in candidates])
            self.plan.skipped += plan.skipped
            self.plan.failed += plan.failed
            postponed = plan.left_to_hosts

    def _wait_for(self, hosts: set[str]) -> None:
        """Holds no lock meanwhile: they may be waiting for us."""
        from sessions.imports.services.server_import_lock import hosts_wait  # its driver is not loaded for SQLite

        hosts_wait(hosts, self._report_waiting)

    def _import_all(
        self, candidates: Sequence[Candidate], paths: Sequence[str] | None, roots: Sequence[Path] = ()
    ) -> Plan:
        progress = self.progress
        with import_lock(self._report_waiting) as lock:
            plan = self._make_plan(lock, candidates, paths, roots)
            progress.phase = "reading"
            progress.files_total = max(progress.files_total, plan.files)
            progress.files = progress.files_total - len(plan.jobs) - len(plan.left_to_hosts)
            progress.bytes_total += plan.todo_bytes
            shared = share(plan.jobs, plan.todo_bytes, lock)
            if plan.todo_bytes > bulk.LARGE_BYTES and shared is None:
                plan.put_off_packing()
            work = ImportWork(plan, self.written, progress, lock, self._workers, self._listener, self._check)
            with bulk.drop_indexes_while_loading(plan.todo_bytes, lock):
                work.read(shared)
            self.browsable_at = time.monotonic()
            work.archive()
            bulk.checkpoint_journal(plan.todo_bytes)
        self.touched |= work.touched
        return plan

    def _import_few(self, candidates: Sequence[Candidate], paths: Sequence[str]) -> Plan:
        with import_lock(self._report_waiting) as lock:
            plan = self._make_plan(lock, candidates, paths)
            work = ImportWork(plan, self.written, self.progress, lock, self._workers)
            work.read()
            work.archive()
        self.touched |= work.touched
        return plan

    def _make_plan(
        self, lock: ImportLock, candidates: Sequence[Candidate], paths: Sequence[str] | None, roots: Sequence[Path] = ()
    ) -> Plan:
        """One host at a time decides who stores which file, and commits that before the next host looks."""
        with lock.alone(self._report_waiting):
            if connection.vendor == "postgresql":
                portions_forget_lost(lock.busy_hosts())
            return Planner(self.written, paths, lock=lock).plan(candidates, roots)

    def _report_waiting(self) -> None:
        self.progress.phase = WAITING
        if self._listener is not None:
            self._listener(self.progress)
        if self._check is not None:
            self._check()


class ImportWork:
    """Writes what the scanners deliver, in transactions large enough to be quick and small enough to lose little."""

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
        """All lines: after this every session can be read."""
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
        """Some of the files, while workers read the others."""
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
        """The bytes that were put off, and the index of the texts, side by side."""
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
        # Loaded only now: most imports find that nothing has changed, and need none of it.
        from sessions.imports.services.pool import scan_all

        if self._workers < 2:
            return scan_all(tasks, 0)
        connections.close_all()  # a connection must not be carried into a forked process
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
            # A stretch may hold broken lines only: its transcript was written to all the same.
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
            # Those that import at this moment settle theirs themselves.
            busy = self._lock.busy_hosts()
            self._adopt(_UNSETTLED.exclude(source__host__in=[this_host(), *busy]))
            if self._unlinked:
                self._relink()
            settle(self.touched, self._written)
            if any(job.transcript_id is None for job in self._plan.jobs):
                spilled_unite()

    def _adopt(self, unsettled: QuerySet[Transcript]) -> None:
        """What an import that was cut off wrote and did not settle, links and totals from the first entry on."""
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


def _report(task: Import, paths: set[str]) -> Report:
    """Counts everything that was requested, changed or not."""
    plan = task.plan
    report = Report(files=plan.files - len(plan.skipped), bytes=plan.bytes, rows_written=task.written.total)
    report.skipped, report.failed, report.touched = plan.skipped, plan.failed, list(task.touched)
    report.new_entries, report.workers = task.progress.entries, task.progress.workers
    counted = Transcript.objects.exclude(source__state=Source.State.REPLACED)
    # Those of this host last: another may have another file under the same path, or the only row of the same one.
    ours = Case(When(source__host__in=own_hosts(), then=1), default=0)
    columns = ("source__path", "pk", "lines", "bad_lines", "recovered")
    counted_by_path = {
        path: rest for path, *rest in counted.order_by(ours, "pk").values_list(*columns) if path in paths
    }
    for _, lines, bad, recovered in counted_by_path.values():
        report.lines += lines
        report.bad_lines += bad
        report.recovered_entries += recovered
    report.entries = report.lines - report.bad_lines
    unknown: Counter[str] = Counter()
    numbers = {pk for pk, *_ in counted_by_path.values()}
    for pk, name, count in Oddity.objects.filter(what="type").values_list("transcript_id", "name", "count"):
        if pk in numbers:
            unknown[name] += count
    report.unknown_types = dict(unknown)
    return report
