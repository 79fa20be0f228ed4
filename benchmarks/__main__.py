"""python -m benchmarks: measures floors, peers and ourselves in one run, and prints one table."""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.corpus import SIZES, Corpus, corpus_open
from benchmarks.floors import floors_measure, orjson_seconds, ripgrep_seconds
from benchmarks.measure import CommandError, cache_warm
from benchmarks.ours.capturing import capture_rows
from benchmarks.ours.contexts import context_page_rows, context_rows
from benchmarks.ours.home import Home, SilentServerError
from benchmarks.ours.importing import (
    Imported,
    MissingEntriesError,
    appended_rows,
    import_cold,
    import_rows,
    unchanged_rows,
)
from benchmarks.ours.memory import memory_rows
from benchmarks.ours.pages import PageError, list_rows, session_rows
from benchmarks.ours.pipeline import pipeline_rows
from benchmarks.ours.searching import deep_rows, word_rows
from benchmarks.report import report_text, report_write
from benchmarks.table import Row, at_least
from benchmarks.tools import (
    MissingToolError,
    PeerImport,
    agentsview_find,
    agentsview_import,
    agentsview_rows,
    ripgrep_find,
)

DATA = Path(os.environ.get("LUCID_BENCH_DATA", Path(__file__).resolve().parent / "data"))
FAILURES = (CommandError, SilentServerError, MissingEntriesError, PageError)
ALL = "S,M,L,huge"
LARGE = ("L", "huge")


@dataclass(slots=True)
class Bench:
    """One run. What cannot be measured is noted in the table's foot, and the rest goes on."""

    repetitions: int
    ours: bool
    rg: Path | None = None
    peer: Path | None = None
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    rates: dict[str, float] = field(default_factory=dict)

    def find_tools(self, *, peers: bool) -> None:
        try:
            self.rg = ripgrep_find(DATA)
        except MissingToolError as missing:
            self.notes.append(f"ripgrep: {missing}.")
        if not peers:
            return
        try:
            self.peer = agentsview_find(DATA)
        except MissingToolError as missing:
            self.notes.append(f"agentsview: {missing}.")

    def note_load(self) -> None:
        load, cores = os.getloadavg()[0], os.cpu_count() or 1
        if load > cores / 2:
            self.notes.append(
                f"The machine was busy with other work (load {load:.1f} on {cores} cores): times are high."
            )

    def measure(self, size: str) -> None:
        corpus = corpus_open(SIZES[size], DATA / size)
        cache_warm(corpus.transcripts())
        self.say(f"{size}: floors")
        self.rows += floors_measure(corpus, self.repetitions)
        if self.rg is not None:
            seconds = ripgrep_seconds(self.rg, corpus.words["common"], corpus, self.repetitions)
            self.rows.append(Row(f"floors {size}", "ripgrep, a common word", seconds, "s"))
        peer = None
        if self.peer is not None:
            self.say(f"{size}: agentsview")
            peer = agentsview_import(self.peer, corpus, DATA, self.repetitions)
            self.rows += agentsview_rows(corpus, peer)
        if self.ours:
            self.measure_ours(corpus, peer)

    def measure_ours(self, corpus: Corpus, peer: PeerImport | None) -> None:
        self.say(f"{corpus.size}: import")
        # The peers took minutes meanwhile, and a shared machine is not always as fast: the floor is measured again on
        # both sides of the import.
        before = orjson_seconds(corpus, self.repetitions)
        try:
            imported = import_cold(corpus, DATA, 1 if corpus.size in LARGE else self.repetitions)
        except FAILURES as failure:
            self.notes.append(f"import of {corpus.size}: {failure}")
            return
        self.rates[corpus.size] = corpus.bytes / imported.seconds
        floor = statistics.mean([before, orjson_seconds(corpus, self.repetitions)])
        self.rows.append(Row(f"import {corpus.size}", "orjson, before and after", floor, "s"))
        self.rows += import_rows(corpus, imported, floor, peer)
        if corpus.size == "L" and "M" in self.rates:
            rate = self.rates["L"] / self.rates["M"]
            self.rows.append(Row("import L", "rate", self.rates["L"] / 1e6, "MB/s", rate, "that on M", at_least(0.75)))
        self.measure_use(corpus, imported, peer)

    def measure_use(self, corpus: Corpus, imported: Imported, peer: PeerImport | None) -> None:
        home, times = imported.home, 4 * self.repetitions
        if corpus.size == "huge":
            small = corpus_open(SIZES["one-mb"], DATA / "one-mb")
            self.attempt("session pages", lambda: session_rows(corpus, small, home, times))
            self.say("huge: contexts")
            self.attempt("contexts", lambda: context_rows(corpus, self.repetitions))
            self.attempt("context pages", lambda: context_page_rows(corpus, home, times))
            return
        self.say(f"{corpus.size}: sync, pages, search")
        self.attempt("unchanged sync", lambda: unchanged_rows(corpus, home, peer, self.repetitions))
        self.attempt("deep search", lambda: deep_rows(corpus, home, self.rg))
        self.attempt("pages", lambda: self.pages(corpus, home, times))
        self.attempt("appended line", lambda: appended_rows(corpus, home, DATA, times))

    def pages(self, corpus: Corpus, home: Home, times: int) -> list[Row]:
        with home.server() as port:
            return list_rows(corpus, home, port, times) + word_rows(corpus, port, self.rg, times)

    def attempt(self, what: str, measured: Callable[[], list[Row]]) -> None:
        try:
            self.rows += measured()
        except FAILURES as failure:
            self.notes.append(f"{what}: {failure}")

    def say(self, what: str) -> None:
        print(what, file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--sizes", default=ALL, help="which corpora, in this order")
    parser.add_argument("--peers", action="store_true", help="also measure agentsview, in an environment of its own")
    parser.add_argument("--quick", action="store_true", help="one repetition of everything")
    parser.add_argument("--floors", action="store_true", help="floors and peers only")
    options = parser.parse_args(arguments)
    sizes = options.sizes.split(",")
    if unknown := [size for size in sizes if size not in SIZES]:
        parser.error(f"no such size: {', '.join(unknown)}")
    bench = Bench(repetitions=1 if options.quick else 3, ours=not options.floors)
    bench.find_tools(peers=options.peers)
    bench.note_load()
    for size in sizes:
        bench.measure(size)
    if bench.ours:
        bench.say("memory")
        bench.attempt("memory", lambda: memory_rows(DATA, 4 * bench.repetitions))
        bench.say("pipeline")
        bench.rows += pipeline_rows(bench.repetitions)
        bench.say("capture")
        bench.attempt("capture", lambda: capture_rows(DATA, bench.repetitions))
    complete = options.sizes == ALL and not (options.quick or options.floors)
    report_write(bench.rows, bench.notes, complete=complete)
    print(report_text(bench.rows, bench.notes))


if __name__ == "__main__":
    main()
