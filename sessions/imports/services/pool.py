"""Scans files in worker processes, because reading, parsing and compressing need no database, and threads share one
interpreter lock."""

from __future__ import annotations

import fcntl
import gc
import multiprocessing
import pickle
import signal
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkContext
from pathlib import Path

from sessions.archive.engine.file_prints import tail_print
from sessions.imports.engine.scan.batch import Batch
from sessions.imports.engine.scan.facts import Facts
from sessions.imports.engine.scan.scanner import Scanner
from sessions.imports.engine.scan.stretches import read_stretches
from sessions.imports.services.jobs import Delivery, Job, Packing
from sessions.imports.services.priority import SCAN, give_way
from sessions.imports.services.stretch_rows import batch_rows, block_rows, fact_rows, mark_rows, source_rows
from sessions.linking.engine import LinkRow, LinkState, advance, link, link_row
from sessions.transcripts.engine.entry_ids import POSITION_BITS, POSITION_MASK
from sessions.transcripts.engine.marks import Mark
from sessions.transcripts.engine.paths import encode_path

WORTH_A_PROCESS = 8_000_000
PIPE_BYTES = 1024 * 1024


def scan(job: Job) -> Iterator[Delivery]:
    """All results of a job, stretch by stretch. The last stretch carries the links of the whole file."""
    try:
        if job.transcript_id is None:
            for stretch in read_stretches(Path(job.path), job.start, job.size, None):
                rows = block_rows(job.source_id, stretch) | source_rows(job.source_id, stretch, job.size)
                yield Delivery(None, stretch.size, stretch.last, rows)
        else:
            yield from _scan_transcript(job, job.transcript_id)
    except OSError as error:
        # The agent may delete or lock a file while we read it. The others are read all the same.
        yield Delivery(job.transcript_id, error=f"{encode_path(job.path)}: {error.strerror or error}")


def _scan_transcript(job: Job, transcript_id: int) -> Iterator[Delivery]:
    facts = Facts.from_json(job.facts) if job.facts else None
    scanner = Scanner(facts, base=transcript_id << POSITION_BITS, agent=job.agent, earlier_keys=job.earlier_keys)
    reads_cut_line = scanner.resume()
    links: list[LinkRow] = []
    for stretch in read_stretches(Path(job.path), job.start, job.size, scanner, pack=job.pack, quick=job.quick):
        batch = stretch.batch
        assert batch is not None
        links += _link_rows(batch)
        rows = block_rows(job.source_id, stretch)
        rows |= source_rows(job.source_id, stretch, job.size, owed=not job.pack)
        delivery = Delivery(transcript_id, stretch.size, stretch.last, rows)
        state = None
        if stretch.last:
            state, marks = _link(job, links)
            delivery.unlinked = state is None
            delivery.rows["mark"] = mark_rows(transcript_id, marks)
        if reads_cut_line:
            delivery.rows["cut"] = [(transcript_id, job.start)]
            reads_cut_line = False
        delivery.rows |= batch_rows(transcript_id, batch) | fact_rows(transcript_id, scanner.facts, state)
        delivery.first = batch.entries[0].position if batch.entries else POSITION_MASK
        delivery.entries = len(batch.entries)
        delivery.texts = pickle.dumps(batch.texts, pickle.HIGHEST_PROTOCOL)
        yield delivery


def pack(packing: Packing) -> Iterator[Delivery]:
    """Packs the bytes of a file. They count as archived once all are in, provided the file is still the one that was
    read."""
    path = Path(packing.path)
    try:
        for stretch in read_stretches(path, 0, packing.size, None, quick=True):
            rows = block_rows(packing.source_id, stretch)
            if stretch.last:
                with path.open("rb") as file:
                    if tail_print(file, packing.imported) != packing.tail_hash:
                        yield Delivery(None, error=f"{encode_path(packing.path)}: it was rewritten while it was read")
                        return
                rows["packed"] = [(stretch.archived, stretch.tail_hash, packing.source_id)]
            yield Delivery(None, stretch.size, stretch.last, rows)
    except OSError as error:
        yield Delivery(None, error=f"{encode_path(packing.path)}: {error.strerror or error}")


def _perform(task: Job | Packing) -> Iterator[Delivery]:
    return scan(task) if isinstance(task, Job) else pack(task)


def _link_rows(batch: Batch) -> list[LinkRow]:
    return [link_row(entry, batch.extras.get(entry.position)) for entry in batch.entries]


def _link(job: Job, links: list[LinkRow]) -> tuple[LinkState | None, tuple[Mark, ...]]:
    """How the file is linked now: no state if it has to be linked in full, and the new marks."""
    if not job.start:
        linked = link(links)
        return linked.state, linked.marks
    if job.links is None:
        return None, ()
    return advance(LinkState.from_json(job.links), links), ()


def scan_all(tasks: Iterable[Job | Packing], processes: int) -> Generator[Delivery]:
    """Deliveries of all tasks: those of one file in order, files interleaved. Processes start with the call. If none
    are wanted, or there is little to do, this process does the work."""
    waiting = deque(tasks)
    if not processes or (len(waiting) < 2 and all(task.size < WORTH_A_PROCESS for task in waiting)):
        return _scan_here(waiting)
    context = multiprocessing.get_context("fork")
    team: list[_Worker] = []
    for _ in range(min(processes, len(waiting))):
        team.append(_Worker(context, team))
    return _deliveries(team, waiting)


def _scan_here(tasks: Iterable[Job | Packing]) -> Generator[Delivery]:
    for task in tasks:
        yield from _perform(task)


def _deliveries(team: list[_Worker], waiting: deque[Job | Packing]) -> Generator[Delivery]:
    by_results = {worker.results: worker for worker in team}
    try:
        for worker in (*team, *team):
            worker.assign(waiting)  # one job ahead, so that the worker is busy while we write
        while by_results:
            for ready in wait(list(by_results)):
                assert isinstance(ready, Connection)
                worker = by_results[ready]
                try:
                    delivery: Delivery | None = ready.recv()
                except (EOFError, OSError):
                    # The process was killed, usually for lack of memory, while it worked on the first of its jobs.
                    by_results.pop(ready).close()
                    failed, *others = worker.assigned
                    waiting.extend(others)
                    if waiting and not by_results:
                        worker = _Worker(multiprocessing.get_context("fork"), ())
                        by_results[worker.results] = worker
                        worker.assign(waiting)
                    error = f"{encode_path(failed.path)}: the process that read it died"
                    yield Delivery(failed.transcript_id, error=error)
                    continue
                if delivery is not None:
                    yield delivery
                    continue
                worker.assigned.popleft()
                worker.assign(waiting)
                if not worker.assigned:
                    by_results.pop(ready).close()
    finally:
        for worker in by_results.values():
            worker.close()


class _Worker:
    """A process with a pipe for jobs and a large pipe for results, because with a small one the processes would switch
    every 64 KB."""

    def __init__(self, context: ForkContext, others: Sequence[_Worker]) -> None:
        theirs, self.jobs = context.Pipe(duplex=False)
        self.results, ours = context.Pipe(duplex=False)
        if hasattr(fcntl, "F_SETPIPE_SZ"):  # Linux
            with suppress(OSError):  # a user may have only so many large pipes
                fcntl.fcntl(ours.fileno(), fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        ends = [self.jobs, self.results, *(end for other in others for end in (other.jobs, other.results))]
        self.process = context.Process(target=_work, args=(theirs, ours, ends), daemon=True)
        self.process.start()
        theirs.close()
        ours.close()
        self.assigned: deque[Job | Packing] = deque()
        """Jobs that it has not finished, in order."""

    def assign(self, waiting: deque[Job | Packing]) -> None:
        if waiting:
            self.assigned.append(waiting.popleft())
            with suppress(BrokenPipeError):  # it died, which reading its results will show
                self.jobs.send(self.assigned[-1])

    def close(self) -> None:
        self.jobs.close()
        self.results.close()
        self.process.terminate()
        self.process.join()


def _work(jobs: Connection, results: Connection, ends: Sequence[Connection]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # the parent may handle signals in its own way
    for end in ends:
        end.close()  # otherwise nobody would notice that the parent is gone, and the import would stay locked
    give_way(SCAN)
    gc.disable()
    with suppress(EOFError, BrokenPipeError):  # the parent is gone
        while True:
            for delivery in _perform(jobs.recv()):
                results.send(delivery)
            results.send(None)
