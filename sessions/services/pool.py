"""Scans files in worker processes: reading, parsing and compressing need no database, and Python has one lock."""

from __future__ import annotations

import fcntl
import gc
import multiprocessing
import pickle
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkContext
from pathlib import Path
from typing import Any

from sessions.engine.linking import LinkRow, LinkState, advance, link
from sessions.engine.marks import Mark
from sessions.engine.paths import kept
from sessions.engine.place import POSITION_BITS, POSITION_MASK
from sessions.engine.scan import Batch, Facts, Scanner, Stretch, read_stretches

WORTH_A_PROCESS = 8_000_000
PIPE_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Job:
    source_id: int
    transcript_id: int | None
    """None for a file that is only archived."""
    path: str
    start: int
    size: int
    facts: dict[str, Any] | None
    agent: bool
    links: dict[str, Any] | None = None
    """The link state of an earlier import, when reading goes on in the middle of a file."""
    seen: tuple[int, ...] = ()
    """Then also the keys of the uuids that stand before: a row that is written again must be known for one."""


@dataclass(frozen=True, slots=True)
class Linkage:
    """How the file hangs together now. Without marks, the earlier ones still hold; without a state, the rows that
    came do more than extend the active branch, and the whole file has to be linked anew."""

    state: dict[str, Any] | None
    marks: tuple[Mark, ...] | None = None


@dataclass(frozen=True, slots=True)
class Delivery:
    job: Job
    stretch: Stretch | None
    facts: dict[str, Any] | None = None
    linkage: Linkage | None = None
    texts: bytes = b""
    """Pickled: most of what a batch weighs, and whoever writes the rows need not look at it."""
    error: str = ""


def scan(job: Job) -> Iterator[Delivery]:
    """Everything that a job gives, stretch by stretch; the last one carries the links of the whole file."""
    scanner = None
    if job.transcript_id is not None:
        facts = Facts.from_json(job.facts) if job.facts else None
        scanner = Scanner(facts, base=job.transcript_id << POSITION_BITS, agent=job.agent, seen=job.seen)
        scanner.resume()
    links: list[LinkRow] = []
    try:
        for stretch in read_stretches(Path(job.path), job.start, job.size, scanner):
            linkage, texts = None, b""
            if stretch.batch is not None:
                texts = pickle.dumps(stretch.batch.texts, pickle.HIGHEST_PROTOCOL)
                stretch.batch.texts = []
                links += _link_rows(stretch.batch)
                stretch.batch.extras = {}
                if stretch.last:
                    linkage = _link(job, links)
            yield Delivery(job, stretch, scanner.facts.to_json() if scanner else None, linkage, texts)
    except OSError as error:
        # The agent may delete or lock a file while we read: the others must not suffer.
        yield Delivery(job, None, error=f"{kept(job.path)}: {error.strerror or error}")


def _link_rows(batch: Batch) -> list[LinkRow]:
    extra = batch.extras.get
    return [
        LinkRow(e[0] & POSITION_MASK, e[3], e[4], e[5], e[6], e[7], e[8], e[11], extra(e[0] & POSITION_MASK), e[9])
        for e in batch.entries
    ]


def _link(job: Job, links: list[LinkRow]) -> Linkage:
    if not job.start:
        linked = link(links)
        return Linkage(LinkState.of(links, linked).to_json(), linked.marks)
    if job.links is None:
        return Linkage(None)
    state = advance(LinkState.from_json(job.links), links)
    return Linkage(state.to_json() if state else None)


def scan_all(jobs: Iterable[Job], workers: int) -> Iterator[Delivery]:
    """Deliveries of all jobs, those of one file in order, files interleaved. Processes start with the call."""
    waiting = deque(jobs)
    if workers < 2 or (len(waiting) < 2 and all(job.size < WORTH_A_PROCESS for job in waiting)):
        return chain.from_iterable(map(scan, waiting))
    context = multiprocessing.get_context("fork")
    team = [_Worker(context) for _ in range(min(workers, len(waiting)))]
    return _deliveries(team, waiting)


def _deliveries(team: list[_Worker], waiting: deque[Job]) -> Iterator[Delivery]:
    by_results = {worker.results: worker for worker in team}
    try:
        for worker in (*team, *team):
            worker.give(waiting)  # one ahead, so that nobody waits while we write
        while by_results:
            for ready in wait(list(by_results)):
                assert isinstance(ready, Connection)
                worker = by_results[ready]
                try:
                    delivery: Delivery | None = ready.recv()
                except (EOFError, OSError):
                    # The process was killed, for want of memory as a rule, while it read the first of its jobs.
                    by_results.pop(ready).close()
                    failed, *others = worker.given
                    waiting.extend(others)
                    if waiting and not by_results:
                        worker = _Worker(multiprocessing.get_context("fork"))
                        by_results[worker.results] = worker
                        worker.give(waiting)
                    yield Delivery(failed, None, error=f"{kept(failed.path)}: the process that read it died")
                    continue
                if delivery is not None:
                    yield delivery
                    continue
                worker.given.popleft()
                worker.give(waiting)
                if not worker.given:
                    by_results.pop(ready).close()
    finally:
        for worker in by_results.values():
            worker.close()


class _Worker:
    """A process with a pipe of jobs and a wide pipe of results: a narrow one would switch processes every 64 KB."""

    def __init__(self, context: ForkContext) -> None:
        theirs, self.jobs = context.Pipe(duplex=False)
        self.results, ours = context.Pipe(duplex=False)
        if hasattr(fcntl, "F_SETPIPE_SZ"):  # Linux
            with suppress(OSError):  # a user may have only so many large pipes
                fcntl.fcntl(ours.fileno(), fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self.process = context.Process(target=_work, args=(theirs, ours), daemon=True)
        self.process.start()
        theirs.close()
        ours.close()
        self.given: deque[Job] = deque()
        """Jobs that it has not finished, in order."""

    def give(self, waiting: deque[Job]) -> None:
        if waiting:
            self.given.append(waiting.popleft())
            with suppress(BrokenPipeError):  # it died; its pipe of results will say so
                self.jobs.send(self.given[-1])

    def close(self) -> None:
        self.jobs.close()
        self.results.close()
        self.process.terminate()
        self.process.join()


def _work(jobs: Connection, results: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # the parent may have its own idea of how to end
    gc.disable()
    while True:
        for delivery in scan(jobs.recv()):
            results.send(delivery)
        results.send(None)
