from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import zstandard

from benchmarks.corpus.needles import NEEDLES
from benchmarks.corpus.plan import Size, sessions_plan
from benchmarks.corpus.tree import Corpus, corpus_open, corpus_write

TINY = Size("tiny", 4_000_000, 14, 3)
BLOCK = 1 << 18


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return corpus_open(TINY, tmp_path_factory.mktemp("corpus"), seed=7)


@pytest.fixture(scope="module")
def records(corpus: Corpus) -> dict[Path, list[dict[str, Any]]]:
    return {path: [json.loads(line) for line in path.read_bytes().splitlines()] for path in corpus.transcripts()}


def test_the_same_seed_gives_the_same_bytes(corpus: Corpus, tmp_path: Path) -> None:
    second = corpus_write(TINY, tmp_path, seed=7)
    assert second.entries == corpus.entries
    for path in corpus.transcripts():
        assert (tmp_path / path.relative_to(corpus.directory)).read_bytes() == path.read_bytes()


def test_another_seed_gives_other_sessions() -> None:
    assert not set(sessions_plan(TINY, 7)) & set(sessions_plan(TINY, 8))


def test_a_corpus_that_is_there_is_not_written_again(corpus: Corpus) -> None:
    before = {path: path.stat().st_mtime_ns for path in corpus.transcripts()}
    assert corpus_open(TINY, corpus.directory, seed=7) == corpus
    assert {path: path.stat().st_mtime_ns for path in corpus.transcripts()} == before


def test_what_the_corpus_says_of_itself_is_true(corpus: Corpus, records: dict[Path, list[dict[str, Any]]]) -> None:
    assert corpus.entries == sum(map(len, records.values()))
    assert corpus.bytes == sum(path.stat().st_size for path in corpus.projects.rglob("*") if path.is_file())
    assert 0.95 * TINY.total < corpus.bytes < 1.25 * TINY.total
    rows = next(rows for path, rows in records.items() if path.stem == corpus.largest)
    chained = [row["uuid"] for row in rows if "uuid" in row]
    places = [chained.index(uuid) for uuid in corpus.uuids]
    assert (places[0], places[-1]) == (0, len(chained) - 1)
    assert places == sorted(set(places))


def test_uuids_are_unique_and_parents_stand_in_the_same_file(records: dict[Path, list[dict[str, Any]]]) -> None:
    seen: Counter[str] = Counter()
    for rows in records.values():
        uuids = [row["uuid"] for row in rows if "uuid" in row]
        seen.update(uuids)
        assert all(row["parentUuid"] in {None, *uuids} for row in rows if "uuid" in row)
    assert set(seen.values()) == {1}


def test_every_call_has_one_result_that_hangs_on_it(records: dict[Path, list[dict[str, Any]]]) -> None:
    for rows in records.values():
        blocks = [
            (block, row)
            for row in rows
            if row["type"] in ("user", "assistant") and isinstance(row["message"]["content"], list)
            for block in row["message"]["content"]
        ]
        calls = {block["id"]: row["uuid"] for block, row in blocks if block["type"] == "tool_use"}
        results = {block["tool_use_id"]: row["parentUuid"] for block, row in blocks if block["type"] == "tool_result"}
        assert results == calls


def test_the_rows_of_one_message_share_its_request_and_their_output_only_grows(
    records: dict[Path, list[dict[str, Any]]],
) -> None:
    outputs: dict[tuple[str, str], list[int]] = {}
    for rows in records.values():
        for row in rows:
            if row["type"] == "assistant":
                key = row["message"]["id"], row["requestId"]
                outputs.setdefault(key, []).append(row["message"]["usage"]["output_tokens"])
    assert len({message for message, _ in outputs}) == len(outputs)
    assert any(len(group) > 1 for group in outputs.values())
    assert all(group == sorted(group) for group in outputs.values())


def test_each_needle_stands_once_in_the_place_that_is_recorded(corpus: Corpus) -> None:
    assert [needle.place for needle in corpus.needles] != []
    assert {needle.place for needle in corpus.needles} == {needle.place for needle in NEEDLES}
    for needle in corpus.needles:
        line = (corpus.directory / needle.file).read_bytes().split(b"\n")[needle.line]
        text = json.dumps(needle.text, ensure_ascii=False)[1:-1] if needle.file.endswith(".jsonl") else needle.text
        assert text.encode() in line
        assert needle.session in needle.file
        holders = [path for path in corpus.projects.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]
        assert holders == [corpus.directory / needle.file]


def test_it_has_the_proportions_of_real_transcripts(corpus: Corpus, records: dict[Path, list[dict[str, Any]]]) -> None:
    raw = b"".join(path.read_bytes() for path in corpus.transcripts())
    compressor = zstandard.ZstdCompressor(level=3)
    packed = sum(len(compressor.compress(raw[start : start + BLOCK])) for start in range(0, len(raw), BLOCK))
    results = sum(
        len(json.dumps(row["message"]["content"])) + len(json.dumps(row.get("toolUseResult", "")))
        for rows in records.values()
        for row in rows
        if "sourceToolAssistantUUID" in row
    )
    assert 0.15 < packed / len(raw) < 0.25
    assert 0.4 < results / len(raw) < 0.75
    assert 2000 < len(raw) / corpus.entries < 4500
