"""What the machine can do at best: parsing, compressing, storing and scanning the same bytes with nothing around."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

import orjson
import zstandard

from benchmarks.corpus import Corpus
from benchmarks.measure import command_run, median_seconds
from benchmarks.table import Row

CHUNK = 1 << 18


def floors_measure(corpus: Corpus, repetitions: int) -> list[Row]:
    part = f"floors {corpus.size}"
    raw = sum(path.stat().st_size for path in corpus.transcripts())
    parsing = orjson_seconds(corpus, repetitions)
    packed = _compress(corpus)
    packing = median_seconds(lambda: _compress(corpus), 1)
    storing = median_seconds(lambda: _store(corpus, index=False), 1)
    indexing = median_seconds(lambda: _store(corpus, index=True), 1)
    return [
        Row(part, f"orjson over {corpus.entries:,} lines, {raw / 1e6:,.0f} MB", parsing, "s"),
        Row(part, "zstd level 3, chunks of 256 KB", packing, "s", packing / parsing, "orjson"),
        Row(part, "zstd, of raw", 100 * packed / raw, "%"),
        Row(part, "SQLite executemany, a row a line", storing, "s", storing / parsing, "orjson"),
        Row(part, "the same with prose and FTS5 over it", indexing, "s", indexing / parsing, "orjson"),
    ]


def orjson_seconds(corpus: Corpus, repetitions: int) -> float:
    return median_seconds(lambda: _parse(corpus), repetitions)


def ripgrep_seconds(rg: Path, word: str, corpus: Corpus, repetitions: int) -> float:
    """Counting, as fixed string: what a person would type instead of asking us."""
    command = [str(rg), "--count", "--fixed-strings", "--no-ignore", word, str(corpus.projects)]
    return median_seconds(lambda: command_run(command), repetitions)


def _lines(corpus: Corpus) -> Iterator[bytes]:
    for path in corpus.transcripts():
        yield from path.read_bytes().split(b"\n")


def _parse(corpus: Corpus) -> None:
    for line in _lines(corpus):
        if line:
            orjson.loads(line)


def _compress(corpus: Corpus) -> int:
    compressor, size = zstandard.ZstdCompressor(level=3), 0
    for path in corpus.transcripts():
        raw = path.read_bytes()
        for start in range(0, len(raw), CHUNK):
            size += len(compressor.compress(raw[start : start + CHUNK]))
    return size


def _store(corpus: Corpus, *, index: bool) -> None:
    directory = Path(tempfile.mkdtemp(dir=corpus.directory))
    try:
        database = sqlite3.connect(directory / "floor.sqlite3")
        database.execute("pragma journal_mode=wal")
        database.execute("pragma synchronous=normal")
        database.execute("create table entry (id integer primary key, type text, uuid text, parent text, at text)")
        if index:
            database.execute("create virtual table prose using fts5(text, content='', detail=full)")
        with database:
            database.executemany("insert into entry values (?, ?, ?, ?, ?)", _entries(corpus))
            if index:
                database.executemany("insert into prose (rowid, text) values (?, ?)", _prose(corpus))
        database.close()
    finally:
        shutil.rmtree(directory)


def _entries(corpus: Corpus) -> Iterator[tuple[int, str, str, str, str]]:
    for number, line in enumerate(_lines(corpus)):
        if line:
            record = orjson.loads(line)
            yield number, record["type"], record.get("uuid"), record.get("parentUuid"), record.get("timestamp")


def _prose(corpus: Corpus) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(_lines(corpus)):
        if not line:
            continue
        message = orjson.loads(line).get("message")
        content = message["content"] if message else ""
        if isinstance(content, list):
            content = "\n".join(block["text"] for block in content if block["type"] == "text")
        if content:
            yield number, content
