"""Contexts: those of all requests of the huge session, against decoding it; and the page of one."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import orjson

from benchmarks.corpus import Corpus
from benchmarks.ours.home import Home
from benchmarks.ours.pages import page_measure
from benchmarks.table import Row, at_most
from sessions.context.engine import Log, contexts

WALK_FACTOR = 4
PAGE_FACTOR = 2
STEPS = 6


def context_rows(corpus: Corpus, repetitions: int) -> list[Row]:
    """Decoding and walking in turns: what a shared machine does to one it does to the other."""
    path = next(path for path in corpus.transcripts() if path.stem == corpus.largest)
    log = Log(path.read_bytes())
    decoding, walking, counting = [], [], []
    requests = 0
    for _ in range(repetitions):
        decoding.append(_decode(path))
        started = time.perf_counter()
        requests = sum(1 for _ in contexts(log))
        walking.append(time.perf_counter() - started)
        started = time.perf_counter()
        for context in contexts(log):
            assert context.tokens
        counting.append(time.perf_counter() - started)
    decoded, walked, counted = (statistics.median(some) for some in (decoding, walking, counting))
    part = "contexts"
    return [
        Row(part, f"decoding {corpus.entries:,} entries with orjson", decoded, "s"),
        Row(part, f"of all {requests:,} requests", walked, "s", walked / decoded, "decoding", at_most(WALK_FACTOR)),
        Row(part, "with the tokens of each by category", counted, "s", counted / decoded, "decoding"),
    ]


def _decode(path: Path) -> float:
    started = time.perf_counter()
    with path.open("rb") as file:
        for line in file:
            orjson.loads(line)
    return time.perf_counter() - started


def context_page_rows(corpus: Corpus, home: Home, repetitions: int) -> list[Row]:
    """The page of one request, all over the session, beside the timeline at the same place."""
    result = home.inside("requests", corpus.largest, str(STEPS))
    base = f"/sessions/{corpus.largest}/"
    pages = [(f"{base}context/?request={message}", f"{base}?at={position}") for message, position in result]
    with home.server() as port:
        pairs = [
            (page_measure(port, mine, repetitions), page_measure(port, other, repetitions)) for mine, other in pages
        ]
    ours, theirs = (statistics.median(item.first_ms for item in some) for some in zip(*pairs, strict=True))
    queries = max(home.inside("queries", *(mine for mine, _ in pages)))
    largest = max(mine.size for mine, _ in pairs)
    return [
        Row("context page", "first byte", ours, "ms", ours / theirs, "the timeline", at_most(PAGE_FACTOR)),
        Row("context page", "largest", largest / 1000, "KB"),
        Row("context page", "most queries", queries, "", target=at_most(10)),
    ]
