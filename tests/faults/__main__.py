"""`make faults`: breaks Lucid in every way that we know of, and prints one table. Status 1 if anything was lost.

python -m tests.faults                       all of it
python -m tests.faults kills --kills 400     one part, with more of it
python -m tests.faults sweep --all-troubles  every call that writes, with every kind of trouble (hours)
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from urllib.parse import urlsplit

import pytest

from tests.faults.clock import jump
from tests.faults.disk import full_disk
from tests.faults.flips import flip_bits
from tests.faults.hosts import own_trees, restarts, two_importers
from tests.faults.kills import kill
from tests.faults.models import model_environment
from tests.faults.scenarios import SCENARIOS, Scenario, scenario
from tests.faults.states import States
from tests.faults.sweep import sweep
from tests.faults.table import Row, table
from tests.faults.warm import best_folder, warm
from tests.servers import postgres_server

PARTS = ("sweep", "kills", "disk", "flips", "restarts", "servers", "clock")
KILLED = {
    "import": 0.3,
    "large import": 0.1,
    "compaction": 0.15,
    "tidy and accept": 0.15,
    "extraction": 0.15,
    "dream": 0.15,
}
"""What is killed, and which share of the kills it gets."""
JUMPED = ("import", "tidy and accept", "queue a run", "extraction")
Job = Callable[["Worker"], Row]


@dataclass(slots=True)
class Worker:
    """A thread that tries one thing after the other, with homes and databases of its own."""

    number: int
    folder: Path
    stack: ExitStack
    postgres_url: str
    model: dict[str, str]
    _states: dict[str, States] = field(default_factory=dict)

    def states(self, database: str) -> States:
        if database not in self._states:
            self._states[database] = self._sqlite() if database == "SQLite" else self._postgres()
        return self._states[database]

    def _sqlite(self) -> States:
        return States(self.stack.enter_context(warm(self.folder / "sqlite", self.model)))

    def _postgres(self) -> States:
        name = f"lucid_{self.number}"
        url = create_database(_server(self), name)
        port = urlsplit(url).port or 0
        started = warm(self.folder / "postgres", {**self.model, "DATABASE_URL": url}, port=port)
        return States(self.stack.enter_context(started), self.postgres_url, name)


def create_database(server: str, name: str) -> str:
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
    return f"{server.rpartition('/')[0]}/{name}"


def jobs(options: argparse.Namespace) -> list[Job]:
    requests: list[Job] = []
    if "kills" in options.parts:
        for database in ("SQLite", "PostgreSQL"):
            for name, share in KILLED.items():
                if options.during in ("", name):
                    requests.append(partial(_kill, database, name, max(1, round(share * options.kills)), options.seed))
    if "sweep" in options.parts:
        for it in (item for item in SCENARIOS if options.during in ("", item.name)):
            requests.append(partial(_sweep, it, options.most, options.all_troubles))
    if "clock" in options.parts:
        requests += [partial(_jump, name, options.seed) for name in JUMPED]
    if "restarts" in options.parts:
        requests.append(lambda _: restarts(count=options.restarts, tell=tell))
    if "servers" in options.parts:
        requests += [_two_importers, partial(_own_trees, options.host_kills, options.seed)]
    if "disk" in options.parts:
        requests.append(lambda _: full_disk(tell))
    if "flips" in options.parts:
        requests.append(lambda _: flip_bits(count=options.flips, seed=options.seed, tell=tell))
    return requests


def _kill(database: str, name: str, count: int, seed: int, worker: Worker) -> Row:
    return kill(worker.states(database), scenario(name), count=count, seed=seed, tell=tell)


def _sweep(it: Scenario, most: int, all_troubles: bool, worker: Worker) -> Row:
    return sweep(worker.states("SQLite"), it, most=most, all_troubles=all_troubles, tell=tell)


def _jump(name: str, seed: int, worker: Worker) -> Row:
    return jump(worker.states("SQLite"), scenario(name), seed=seed, tell=tell)


def _two_importers(worker: Worker) -> Row:
    url = create_database(_server(worker), "lucid_two")
    return two_importers(url, worker.folder / "two", tell=tell)


def _own_trees(kills: int, seed: int, worker: Worker) -> Row:
    url = create_database(_server(worker), "lucid_own_trees")
    return own_trees(url, worker.folder / "own-trees", kills=kills, seed=seed, tell=tell)


def _server(worker: Worker) -> str:
    if not worker.postgres_url:
        pytest.skip("there is no PostgreSQL")
    return worker.postgres_url


def tell(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


@contextmanager
def postgres_if_there(folder: Path) -> Iterator[str]:
    with ExitStack() as stack:
        try:
            url = stack.enter_context(postgres_server(folder))
        except pytest.skip.Exception as missing:
            tell(f"Not tried on PostgreSQL: {missing}.")
            url = ""
        yield url


def work(worker: Worker, waiting: SimpleQueue[Job], rows: list[Row]) -> None:
    with worker.stack:
        while True:
            try:
                job = waiting.get_nowait()
            except Empty:
                return
            began = time.monotonic()
            try:
                row = job(worker)
            except pytest.skip.Exception as missing:
                tell(f"NOT TRIED  {missing}")
                continue
            except Exception as error:  # what breaks the trial itself must not pass for a trial that went well
                traceback.print_exc()
                row = Row("the trial itself", "", "", lost=[f"{type(error).__name__}: {error}"])
                tell(f"LOST  {row.lost[0][-2000:]}")
            rows.append(row)
            seconds = time.monotonic() - began
            tell(f"{row.fault}, {row.during}, {row.on}: {row.tried} tried, {len(row.lost)} lost, {seconds:.0f} s")


def run(options: argparse.Namespace) -> list[Row]:
    waiting: SimpleQueue[Job] = SimpleQueue()
    for job in jobs(options):
        waiting.put(job)
    rows: list[Row] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lucid-faults-", dir=best_folder())))
        data = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lucid-postgres-")))
        url = stack.enter_context(postgres_if_there(data))
        model = stack.enter_context(model_environment())
        workers = [Worker(n, folder / str(n), ExitStack(), url, model) for n in range(options.workers)]
        threads = [threading.Thread(target=work, args=(worker, waiting, rows)) for worker in workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return sorted(rows, key=lambda row: (row.fault, row.on, row.during))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", choices=(*PARTS, []), default=PARTS, metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--kills", type=int, default=200, help="on each database (default: 200)")
    parser.add_argument("--most", type=int, default=0, help="failing calls for each thing that is done (default: all)")
    parser.add_argument("--all-troubles", action="store_true", help="every kind of trouble at every call (hours)")
    parser.add_argument("--during", default="", metavar="NAME", help="kills and failing calls only while this is done")
    parser.add_argument("--restarts", type=int, default=4)
    parser.add_argument("--host-kills", type=int, default=6, help="of one of two hosts that import (default: 6)")
    parser.add_argument("--flips", type=int, default=10)
    parser.add_argument("--seed", type=int, default=14)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    began = time.monotonic()
    print(f"seed {options.seed}", flush=True)
    rows = run(options)
    print(table(rows))
    print(f"{(time.monotonic() - began) / 60:.0f} minutes, seed {options.seed}")
    return 1 if any(row.lost for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
