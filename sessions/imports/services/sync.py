"""Brings the archive up to date with the files on disk. It never writes to them, and may be interrupted at any
point."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

from sessions.imports.engine.discovery import Candidate, discover, is_session_file, make_candidate
from sessions.imports.engine.names import WAITING
from sessions.imports.services import bulk
from sessions.imports.services.import_lock import ImportLock, import_lock
from sessions.imports.services.import_work import Check, ImportWork, Listener
from sessions.imports.services.plan import Plan, Planner
from sessions.imports.services.report import Progress, Report, count_archive
from sessions.imports.services.shared.portions import portions_forget_lost
from sessions.imports.services.shared.sharing import share
from sessions.imports.services.writer import WriteCounts
from sessions.transcripts.engine.paths import decode_path


def sync(
    paths: Sequence[Path], *, listener: Listener | None = None, check: Check | None = None, workers: int | None = None
) -> Report:
    """Import everything below `paths` that is new or has changed. `check` is called every few megabytes and may raise
    to end the import; what is committed by then stays."""
    started = time.monotonic()
    roots = [Path(os.path.abspath(path.expanduser())) for path in paths]
    candidates = list(discover(roots))
    task = Import(workers or os.cpu_count() or 1, listener, check)
    with collector_paused():
        task.run(candidates, [root for root in roots if root.is_dir()])
    report = task.report()
    count_archive(report, {candidate.path for candidate in candidates})
    report.browsable_seconds = round(task.browsable_at - started, 3)
    report.seconds = round(time.monotonic() - started, 3)
    return report


def sync_files(paths: Sequence[Path]) -> list[int]:
    """A quick import of files that the watcher saw change. Returns the transcripts that grew."""
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
    """An import makes millions of tuples and no cycles; looking for cycles would take a tenth of its time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Import:
    """One import of everything that was asked for. Files that another host is reading are checked again when it is
    done, because it may have stored them, or died."""

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

    def report(self) -> Report:
        """What this import has done so far."""
        plan, progress = self.plan, self.progress
        report = Report(files=plan.files - len(plan.skipped), bytes=plan.bytes, rows_written=self.written.total)
        report.skipped, report.failed, report.touched = plan.skipped, plan.failed, list(self.touched)
        report.new_entries, report.workers = progress.entries, progress.workers
        return report

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
        """Holds no lock meanwhile, because they may be waiting for us."""
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
