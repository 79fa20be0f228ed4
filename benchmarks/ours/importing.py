"""Import: cold, unchanged, and one appended line."""

from __future__ import annotations

import json
import shutil
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.corpus import SIZES, Corpus, corpus_open
from benchmarks.measure import Ran
from benchmarks.ours.home import Home, home_make
from benchmarks.table import Row, at_least, at_most
from benchmarks.tools import PeerImport

LIVE_SEED = 99
PEER_FACTOR = {"M": 4.0, "L": 6.0}


class MissingEntriesError(Exception):
    """The import did not account for every line of the corpus."""


@dataclass(frozen=True, slots=True)
class Imported:
    home: Home
    seconds: float
    cpu_seconds: float
    browsable: float | None
    peak_mb: float
    stored: int


def import_cold(corpus: Corpus, data: Path, repetitions: int) -> Imported:
    """The median run's numbers; the home of the last run stays for the pages."""
    runs: list[tuple[Ran, dict[str, Any]]] = []
    for _ in range(repetitions):
        home = home_make(data / "homes" / corpus.size)
        ran = home.run("import", str(corpus.directory), "--json")
        report = json.loads(ran.output)
        if report["entries"] != corpus.entries or report["bad_lines"]:
            raise MissingEntriesError(f"{corpus.size}: {report['entries']} of {corpus.entries} entries")
        runs.append((ran, report))
    runs.sort(key=lambda run: run[0].seconds)
    ran, report = runs[len(runs) // 2]
    # What the command says of itself leaves out the start of the interpreter, which is part of what a person waits.
    start = ran.seconds - report["seconds"]
    browsable = report.get("browsable_seconds")
    peak = max(ran.peak_mb for ran, _ in runs)
    return Imported(
        home, ran.seconds, ran.cpu_seconds, None if browsable is None else browsable + start, peak, home.stored
    )


def import_rows(corpus: Corpus, imported: Imported, orjson: float, peer: PeerImport | None) -> list[Row]:
    part = f"import {corpus.size}"
    whole = imported.seconds
    rate = corpus.bytes / 1e6 / whole
    judged = corpus.size in PEER_FACTOR
    rows = []
    if imported.browsable is not None:
        target = at_most(4.5) if judged else None
        rows.append(Row(part, "browsable", imported.browsable, "s", imported.browsable / orjson, "orjson", target))
    rows += [
        Row(part, "with search built", whole, "s", whole / orjson, "orjson", at_most(8) if judged else None),
        Row(part, "rate", rate, "MB/s"),
        Row(part, "processor time", imported.cpu_seconds, "s"),
        Row(
            part,
            "database, archive and index, of raw",
            100 * imported.stored / corpus.bytes,
            "%",
            target=at_most(35, "%"),
        ),
        Row(part, "peak memory", imported.peak_mb, "MB", target=at_most(300, "MB")),
    ]
    if peer is not None:
        factor = PEER_FACTOR.get(corpus.size)
        target = at_least(factor) if factor else None
        rows.append(Row(part, "speed", rate, "MB/s", peer.cold.seconds / whole, "agentsview's", target))
    return rows


def unchanged_rows(corpus: Corpus, home: Home, peer: PeerImport | None, repetitions: int) -> list[Row]:
    part = f"sync {corpus.size}"
    runs = [home.run("import", str(corpus.directory), "--json") for _ in range(repetitions)]
    seconds = statistics.median(run.seconds for run in runs)
    written = max(json.loads(run.output)["rows_written"] for run in runs)
    rows = [Row(part, "rows written when nothing changed", written, "", target=at_most(0))]
    if peer is None:
        return [*rows, Row(part, "unchanged, as a command", seconds, "s")]
    ratio = seconds / peer.warm_seconds
    target = at_most(1.5) if corpus.size == "L" else None
    return [*rows, Row(part, "unchanged, as a command", seconds, "s", ratio, "agentsview", target)]


def appended_rows(corpus: Corpus, home: Home, data: Path, repetitions: int) -> list[Row]:
    """A session of its own grows beside the others, so that the corpus itself stays as it is."""
    source = corpus_open(SIZES["one-mb"], data / "live-source", seed=LIVE_SEED)
    live = data / "live"
    shutil.rmtree(live, ignore_errors=True)
    shutil.copytree(source.projects, live / "projects")
    home.run("import", str(live), "--json")
    path = next((live / "projects").rglob(f"{source.largest}.jsonl"))
    taken = home.inside("append", str(path), str(3 + repetitions))[3:]
    target = at_most(50, "ms")
    return [
        Row(f"sync {corpus.size}", "one appended line, in the server", statistics.median(taken), "ms", target=target)
    ]
