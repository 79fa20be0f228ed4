"""python -m benchmarks.workers: one import, shared with 1, 2 and 4 worker processes, and two hosts with half of the
tree each, one after the other and at once, on a PostgreSQL and a Redis of its own. Says whether what came of it is the
same as without them."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest

from benchmarks.corpus import Corpus, corpus_open
from benchmarks.corpus.plan import MB, Size
from tests.postgres.running import fresh_database
from tests.servers import postgres_server, redis_server
from tests.serving import environment, worker

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("LUCID_BENCH_DATA", Path(__file__).resolve().parent / "data"))
TICKS = os.sysconf("SC_CLK_TCK")
READY_SECONDS = 600.0
# The import reads along, with one process: so that what others add can be seen.
IMPORT = (
    "import json, sys, django; django.setup(); from pathlib import Path;"
    " from sessions.imports.services.sync import sync;"
    " print(json.dumps(sync([Path(sys.argv[1])], workers=int(sys.argv[2])).to_json()))"
)
PLACES = (
    "import django; django.setup(); from sessions.imports.services.shared.celery_workers import workers;"
    " print(workers.places())"
)
HOSTS = ("one", "two")
FILES = ("transcripts_source", "transcripts_block")
"""Tables that speak of files, not of transcripts."""
OF_TRANSCRIPT = (
    "SELECT one.id, path FROM transcripts_transcript one JOIN transcripts_source file ON file.id = source_id"
)
# What each is called by, and what it says. Numbers depend on who came first, and sums of fractions in their last digits
# on the order in which the rows lie.
TABLES = {
    "transcripts_source": ("t.id", "t.state, t.size, t.archived, t.imported, t.owed, t.head_hash, t.tail_hash"),
    "transcripts_block": ("t.id >> 24", "t.id & 16777215, md5(data)"),
    "transcripts_transcript": (
        "t.id",
        "public_id, lines, entries, turns, requests, input, output, round(cost::numeric, 6), indexed, settled",
    ),
    "transcripts_entry": (
        "t.id >> 26",
        't.id & 67108863, "offset", length, type, detail, uuid_key, parent_key, message_key, tool_key, at, turn, flags',
    ),
    "transcripts_turn": (
        "t.id >> 26",
        "t.id & 67108863, first, last, calls, errors, requests, input, output, round(cost::numeric, 6)",
    ),
    "transcripts_request": ("transcript_id", "message_key, position, turn, input, cache_read, output, cost, owned"),
    "transcripts_mark": ("transcript_id", 'first, last, fate, "by"'),
    "transcripts_problem": ("transcript_id", 'line, "offset", kind'),
    "transcripts_oddity": ("transcript_id", "what, name, count, first"),
    "transcripts_text": ("entry_id >> 26", "entry_id & 67108863, piece, md5(body::text)"),
}


@dataclass(frozen=True, slots=True)
class Measured:
    name: str
    seconds: float
    cpu_seconds: float
    """Of the import, the workers, PostgreSQL and Redis together."""
    workers: int
    """That took part."""
    prints: dict[str, str]
    """Of all rows of each table."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.workers", description=__doc__)
    parser.add_argument("--megabytes", type=int, default=150)
    parser.add_argument("--counts", default="1,2,4", help="worker processes (default: 1,2,4; empty: none)")
    parser.add_argument("--only", choices=("one", "two"), help="one host, or two hosts with half of the tree each")
    options = parser.parse_args()
    counts = [int(count) for count in options.counts.split(",") if count]
    size = Size(f"workers-{options.megabytes}", options.megabytes * MB, options.megabytes, 10)
    corpus = corpus_open(size, DATA / size.name)
    with ExitStack() as stack:
        folders = [Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lucid-workers-"))) for _ in range(3)]
        servers = {
            "DATABASE_URL": stack.enter_context(postgres_server(folders[0])),
            "REDIS_URL": stack.enter_context(redis_server(folders[1])),
        }
        bench = Bench(corpus, servers, folders[2])
        if options.only != "two":
            runs = [bench.measure("alone, 1 process"), bench.measure("alone, 2 processes", processes=2)]
            runs += [bench.measure(f"1 process and {_workers(count)}", count) for count in counts]
            print(_table(runs, corpus), flush=True)
        if options.only != "one":
            halves = _halves(corpus.directory, folders[2])
            orders = [(count, at_once) for count in (0, *counts) for at_once in (False, True)]
            print(_table([bench.measure_hosts(halves, count, at_once=at_once) for count, at_once in orders], corpus))


class Bench:
    def __init__(self, corpus: Corpus, servers: dict[str, str], folder: Path) -> None:
        self._corpus = corpus
        self._servers = servers
        self._folder = folder

    def measure(self, name: str, count: int = 0, *, processes: int = 1) -> Measured:
        database = fresh_database(self._servers["DATABASE_URL"])
        settings = {
            "DATABASE_URL": database,
            "REDIS_URL": self._servers["REDIS_URL"],
            "DJANGO_SETTINGS_MODULE": "inspector.settings",
        }
        with self._working(count, settings):
            busy, started = _busy(os.getpid()), time.perf_counter()
            report = self._python(IMPORT, settings, str(self._corpus.directory), str(processes))
            seconds, cpu = time.perf_counter() - started, _busy(os.getpid()) - busy
        return self._measured(name, seconds, cpu, [report], database)

    def measure_hosts(self, trees: Sequence[Path], count: int, *, at_once: bool) -> Measured:
        """Two hosts with a tree each."""
        database = fresh_database(self._servers["DATABASE_URL"])
        settings = {
            "DATABASE_URL": database,
            "REDIS_URL": self._servers["REDIS_URL"],
            "DJANGO_SETTINGS_MODULE": "inspector.settings",
        }
        with self._working(count, settings):
            busy, started = _busy(os.getpid()), time.perf_counter()
            with ThreadPoolExecutor(len(HOSTS) if at_once else 1) as pool:
                reports = list(pool.map(partial(self._host, settings), HOSTS, trees))
            seconds, cpu = time.perf_counter() - started, _busy(os.getpid()) - busy
        name = f"two hosts {'at once' if at_once else 'one after the other'}"
        return self._measured(f"{name}, {_workers(count)}" if count else name, seconds, cpu, reports, database)

    def _host(self, settings: dict[str, str], host: str, tree: Path) -> Any:
        return self._python(IMPORT, {**settings, "LUCID_HOST": host}, str(tree), "1", home=host)

    def _measured(
        self, name: str, seconds: float, cpu: float, reports: Sequence[dict[str, Any]], database: str
    ) -> Measured:
        entries = sum(report["entries"] for report in reports)
        failed = [failure for report in reports for failure in report["failed"]]
        if entries != self._corpus.entries or failed:
            raise SystemExit(f"{name}: {entries} of {self._corpus.entries} entries, {failed}")
        print(f"{name}: {seconds:.1f} s, {cpu:.1f} processor seconds", file=sys.stderr, flush=True)
        return Measured(name, seconds, cpu, max(report["workers"] for report in reports), _prints(database))

    @contextmanager
    def _working(self, count: int, settings: dict[str, str]) -> Iterator[None]:
        with ExitStack() as stack:
            for number in range(count):
                home = self._folder / f"worker-{number}"
                stack.enter_context(worker(home, settings["REDIS_URL"], DATABASE_URL=settings["DATABASE_URL"]))
            until = time.monotonic() + READY_SECONDS
            while self._python(PLACES, settings) != count:
                if time.monotonic() > until:
                    raise SystemExit("the workers did not answer in time")
            yield

    def _python(self, text: str, settings: dict[str, str], *arguments: str, home: str = "import") -> Any:
        done = subprocess.run(
            [sys.executable, "-c", text, *arguments],
            env=environment(self._folder / home, **settings),
            cwd=ROOT,
            stdout=subprocess.PIPE,
            check=True,
        )
        return json.loads(done.stdout)


def _halves(directory: Path, folder: Path) -> list[Path]:
    """The tree as two of about the same size, by projects."""
    trees, sizes = [folder / f"tree-{host}" for host in HOSTS], [0] * len(HOSTS)
    projects = {
        project: sum(file.stat().st_size for file in project.rglob("*") if file.is_file())
        for project in (directory / "projects").iterdir()
    }
    for project, size in sorted(projects.items(), key=lambda item: -item[1]):
        place = sizes.index(min(sizes))
        sizes[place] += size
        shutil.copytree(project, trees[place] / "projects" / project.name)
    return trees


def _busy(pid: int) -> float:
    """Processor seconds of a process, those that it waited for, and all that it started."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        children = [
            int(child)
            for task in os.listdir(f"/proc/{pid}/task")
            for child in Path(f"/proc/{pid}/task/{task}/children").read_text().split()
        ]
    except (FileNotFoundError, ProcessLookupError):
        return 0.0  # it ended while we looked
    return sum(map(int, fields[11:15])) / TICKS + sum(map(_busy, children))


def _prints(database: str) -> dict[str, str]:
    """A digest of all rows of each table, in an order that does not depend on who wrote them when."""
    prints = {}
    with psycopg.connect(database) as connection:
        for table, (key, columns) in TABLES.items():
            files = "transcripts_source" if table in FILES else f"({OF_TRANSCRIPT})"
            rows = (
                f"SELECT md5(ROW(file.path, {columns})::text) AS print FROM {table} t"
                f" LEFT JOIN {files} AS file ON file.id = {key}"
            )
            digest = f"SELECT md5(string_agg(print, '' ORDER BY print)) FROM ({rows}) AS rows"
            prints[table] = str(connection.execute(digest).fetchone())
    return prints


def _workers(count: int) -> str:
    return "1 worker" if count == 1 else f"{count} workers"


def _table(runs: Sequence[Measured], corpus: Corpus) -> str:
    first, load = runs[0], os.getloadavg()[0]
    lines = [
        f"{corpus.bytes / 1e6:.0f} MB, {corpus.entries:,} entries, {corpus.files} files."
        f" {os.cpu_count()} cores, load {load:.1f} at the end: others may use them too.",
        "",
        "| import | took part | seconds | processor seconds | times as fast | rows |",
        "|---|--:|--:|--:|--:|---|",
    ]
    for run in runs:
        others = [table for table in TABLES if run.prints[table] != first.prints[table]]
        rows = f"DIFFERENT: {', '.join(others)}" if others else "the same"
        faster = first.seconds / run.seconds
        lines.append(
            f"| {run.name} | {run.workers} | {run.seconds:.1f} | {run.cpu_seconds:.1f} | {faster:.2f} | {rows} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    try:
        main()
    except pytest.skip.Exception as missing:
        print(f"Not measured: {missing}.")
