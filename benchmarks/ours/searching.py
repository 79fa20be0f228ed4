"""Search: words over HTTP, and planted needles with the deep search, beside ripgrep over the same files."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from urllib.parse import urlencode

from benchmarks.corpus import Corpus
from benchmarks.corpus.tree import Planted
from benchmarks.floors import ripgrep_seconds
from benchmarks.ours.home import Home
from benchmarks.ours.pages import page_measure
from benchmarks.table import Row, at_least, at_most


def word_rows(corpus: Corpus, port: int, rg: Path | None, repetitions: int) -> list[Row]:
    rows = []
    for kind, word in corpus.words.items():
        answer = page_measure(port, f"/search/?{urlencode({'q': word})}", repetitions)
        part, what = f"search {corpus.size}", f"a {kind} word, over HTTP"
        if rg is None:
            rows.append(Row(part, what, answer.whole_ms, "ms"))
            continue
        floor = 1000 * ripgrep_seconds(rg, word, corpus, repetitions)
        target = at_least(20) if corpus.size == "L" else None
        rows.append(Row(part, f"ripgrep, a {kind} word", floor, "ms"))
        rows.append(Row(part, what, answer.whole_ms, "ms", floor / answer.whole_ms, "as fast as ripgrep", target))
    return rows


def deep_rows(corpus: Corpus, home: Home, rg: Path | None) -> list[Row]:
    part = f"search {corpus.size}"
    missed, times = [], []
    for needle in corpus.needles:
        ran = home.run("search", needle.text, "--deep", "--json")
        times.append(ran.seconds)
        if not _holds(needle, json.loads(ran.output)):
            missed.append(needle.place)
    total = statistics.median(times)
    what = f"needles found of {len(corpus.needles)}" + (f", missed: {', '.join(missed)}" if missed else "")
    rows = [Row(part, what, len(corpus.needles) - len(missed), "", target=at_least(len(corpus.needles)))]
    if rg is None:
        rows.append(Row(part, "deep, as a command", total, "s"))
    else:
        floor = ripgrep_seconds(rg, corpus.needles[0].text, corpus, 3)
        target = at_most(4) if corpus.size == "L" else None
        rows.append(Row(part, "deep, as a command", total, "s", total / floor, "ripgrep", target))
    first = home.run("search", corpus.words["common"], "--deep", awaited=b"\n").first_seconds
    if first is not None:
        rows.append(Row(part, "deep, a common word, until the first hit", first, "s"))
    return rows


def _holds(needle: Planted, hits: list[dict[str, str]]) -> bool:
    """A hit in a sub-agent's file may go by the agent's name or by its session's."""
    agent = Path(needle.file).stem.removeprefix("agent-")
    return any(needle.session in hit["session"] or agent in hit["session"] for hit in hits)
