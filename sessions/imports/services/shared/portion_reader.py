"""Reads portions of an import that another process shares: scans their files and writes rows, bytes and words, each
portion in one transaction. If that is interrupted, nothing of the portion is stored and another process takes it."""

from __future__ import annotations

import os
import pickle
import secrets
import socket
import time
from collections.abc import Sequence

from django.db import transaction

from inspector.locks.hosts import own_hosts
from sessions.imports.services.import_lock import lock_of
from sessions.imports.services.jobs import Delivery, Job
from sessions.imports.services.shared.portions import Outcome, portion_claim, portion_finish
from sessions.imports.services.writer import RowBuffer, WriteCounts
from sessions.models import SharedImport, Source, Transcript
from sessions.search.services.indexing import index_texts
from sessions.transcripts.engine.paths import decode_path

CHECK_SECONDS = 0.5
BUFFER_BYTES = 12 * 1024 * 1024


class FilesUnavailableError(Exception):
    """This process does not have the files of the import, or may not read them."""


class ImportOverError(Exception):
    """The import has ended, so its portions are no longer wanted."""


class PortionReader:
    """What one process reads of one shared import."""

    def __init__(self, shared_import: int) -> None:
        self._number = shared_import
        self._host = SharedImport.objects.filter(pk=shared_import).values_list("host", flat=True).first()
        """None if it is over already."""
        self._unreadable: set[int] = set()
        """Portions that it cannot read."""

    def read(self, *, seconds: float) -> bool:
        """Reads one portion after the other. True if time ran out and there may be more."""
        end = time.monotonic() + seconds
        if self._host is None:
            return False
        while time.monotonic() < end:
            try:
                if not self._read_portion(self._host):
                    return False
            except ImportOverError:
                return False
        return True

    def _read_portion(self, host: str) -> bool:
        """False if no portion is left that it can read."""
        from sessions.imports.services.server_import_lock import join_import

        claimed = 0
        try:
            with transaction.atomic():
                join_import(host)
                portion = portion_claim(self._number, self._unreadable)
                if portion is None:
                    return False
                claimed, jobs = portion
                reading = _Portion(self._number, jobs)
                outcome = reading.read()
                portion_finish(claimed, worker=worker_name(), outcome=outcome)
        except FilesUnavailableError:
            self._unreadable.add(claimed)
        return True


class _Portion:
    def __init__(self, shared_import: int, jobs: Sequence[Job]) -> None:
        self._number = shared_import
        self._jobs = jobs
        self._written = WriteCounts()
        self._buffer = RowBuffer(self._written)
        self._buffered_bytes = 0
        self._outcome = Outcome()
        self._checked_at = 0.0
        ids = [job.transcript_id for job in jobs if job.transcript_id is not None]
        self._indexed = dict(Transcript.objects.filter(pk__in=ids).values_list("pk", "indexed"))

    def read(self) -> Outcome:
        from sessions.imports.services.pool import scan

        self._check_import()
        _check_files(self._jobs)
        for job in self._jobs:
            for delivery in scan(job):
                self._check_import()
                self._add_delivery(delivery)
        self._buffer.write()
        self._outcome.rows = self._written.rows
        return self._outcome

    def _check_import(self) -> None:
        from inspector.locks.server_lock import is_held_by

        if time.monotonic() - self._checked_at < CHECK_SECONDS:
            return
        self._checked_at = time.monotonic()
        shared = SharedImport.objects.filter(pk=self._number).first()
        if shared is None or not is_held_by(lock_of(shared.host), shared.holder):
            raise ImportOverError

    def _add_delivery(self, delivery: Delivery) -> None:
        if delivery.error:
            # Others may be able to read it. If nobody can, the import itself reports that.
            raise FilesUnavailableError(delivery.error)
        outcome, transcript, first = self._outcome, delivery.transcript_id, delivery.first
        self._buffer.add(delivery.rows)
        self._buffered_bytes += delivery.size
        outcome.bytes += delivery.size
        outcome.files += delivery.last
        if transcript is not None:
            outcome.touched[transcript] = min(first, outcome.touched.get(transcript, first))
            outcome.entries += delivery.entries
            if delivery.unlinked:
                outcome.unlinked.add(transcript)
            if delivery.entries and self._indexed.get(transcript) == first:
                self._index(transcript, first + delivery.entries, delivery)
        if self._buffered_bytes >= BUFFER_BYTES:
            self._buffer.write()
            self._buffered_bytes = 0

    def _index(self, transcript: int, end: int, delivery: Delivery) -> None:
        """Indexes what directly follows the indexed part; the import does the rest."""
        texts = pickle.loads(delivery.texts)  # noqa: S301 - from our own scanner, in this process
        index_texts(transcript, end, texts, self._written)
        self._indexed[transcript] = end
        self._outcome.indexed += delivery.entries


def _check_files(jobs: Sequence[Job]) -> None:
    """Raises FilesUnavailableError unless the files here are those of the import. On the import's own host they may
    have grown."""
    sources = Source.objects.in_bulk([job.source_id for job in jobs])
    for job in jobs:
        source = sources.get(job.source_id)
        if source is None:
            raise ImportOverError
        try:
            status = decode_path(source.path).stat()
        except OSError as error:
            raise FilesUnavailableError(str(error)) from error
        same = (status.st_size, status.st_mtime_ns) == (source.size, source.mtime_ns)
        grown = source.host in own_hosts() and status.st_size >= job.size
        if not same and not grown:
            raise FilesUnavailableError(source.path)


_token = secrets.token_hex(4)


def worker_name() -> str:
    """A name for this process that no other one has."""
    return f"{socket.gethostname()}-{os.getpid()}-{_token}"
