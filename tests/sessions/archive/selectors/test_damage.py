"""Bits that flip in the archive: none goes unnoticed, none is shown, and what the file still holds is read there."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from sessions.archive.engine.damage import ArchiveDamageError
from sessions.archive.engine.frames import BLOCK_SIZE, compressor
from sessions.archive.selectors.records import Reader
from sessions.archive.selectors.soundness import Damage, archive_steps
from sessions.imports.services.sync import sync
from sessions.models import Block, Entry, Source
from sessions.search.selectors.deep_search import DeepSearch
from tests.sessions.archive.rotting import block_of, flipped, rot, without_hashes
from tests.sessions.writing import Writing

pytestmark = pytest.mark.django_db(transaction=True)

FLIPS = 300


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Three blocks of words that differ, so that their frames are more than a few bytes."""
    random = Random(7)
    writing = Writing(session="33333333-2222-4333-8444-555555555555")
    for number in range(24):
        words = " ".join(f"{random.randrange(10**9):x}" for _ in range(5_000))
        writing.user(f"harbour {number} {words}")
    return writing.save(tmp_path / "projects" / "-home-dev-atlas")


@pytest.fixture
def source(file: Path) -> Source:
    sync([file.parents[1]], workers=1)
    made = Source.objects.get()
    assert 2 * BLOCK_SIZE < made.archived < 3 * BLOCK_SIZE
    return made


@pytest.fixture
def whole(file: Path, source: Source) -> bytes:
    """What was archived; the file is gone."""
    data = file.read_bytes()
    file.unlink()
    return data


def damage() -> list[Damage]:
    return [item for step in archive_steps() for item in step.damage]


def places(count: int) -> list[tuple[int, int]]:
    """Blocks, and bits in them."""
    random = Random(300)
    blocks = list(Block.objects.order_by("pk").values_list("pk", "data"))
    return [(pk, random.randrange(8 * len(data))) for pk, data in (random.choice(blocks) for _ in range(count))]


def test_every_flipped_bit_is_noticed_by_whoever_reads(source: Source, whole: bytes) -> None:
    silent = []
    for pk, bit in places(FLIPS):
        before = bytes(Block.objects.get(pk=pk).data)
        Block.objects.filter(pk=pk).update(data=flipped(before, bit))
        number = pk - block_of(source, 0)
        _, why = Reader(source.pk).try_record(number * BLOCK_SIZE, 100)
        start, end = number * BLOCK_SIZE, min(len(whole), (number + 1) * BLOCK_SIZE)
        if not why.startswith(f"Bytes {start:,} to {end:,} of the file are damaged in the archive"):
            silent.append((number, bit, why))
        Block.objects.filter(pk=pk).update(data=before)
    assert silent == []
    assert Reader(source.pk).read(0, len(whole)) == whole


def test_every_flipped_bit_is_named_by_a_check(source: Source, whole: bytes) -> None:
    silent = []
    for pk, bit in places(60):
        before = bytes(Block.objects.get(pk=pk).data)
        Block.objects.filter(pk=pk).update(data=flipped(before, bit))
        if [item.key for item in damage()] != [pk]:
            silent.append((pk, bit))
        Block.objects.filter(pk=pk).update(data=before)
    assert silent == []


def test_flips_from_before_there_were_hashes_are_noticed_where_the_file_is_there(file: Path, source: Source) -> None:
    silent = []
    data = file.read_bytes()
    for pk, bit in places(60):
        without_hashes()
        before = bytes(Block.objects.get(pk=pk).data)
        Block.objects.filter(pk=pk).update(data=flipped(before, bit))
        result = damage()
        if [(item.key, item.repairable) for item in result] != [(pk, True)]:
            # A bit may mean nothing to whoever unpacks; then the content is what it was.
            content = b"" if result else Reader(source.pk).read(0, len(data))
            if content != data:
                silent.append((pk, bit, result))
        Block.objects.filter(pk=pk).update(data=before)
    assert silent == []


def test_a_record_that_is_none_any_more_is_noticed_without_hash_and_file(source: Source, whole: bytes) -> None:
    raw = whole[BLOCK_SIZE : 2 * BLOCK_SIZE]
    torn = raw.replace(b'"type": "user"', b'"type"; "user"').replace(b'"type":"user"', b'"type";"user"')
    assert torn != raw
    Block.objects.filter(pk=block_of(source, 1)).update(data=compressor()(torn))
    without_hashes()
    (result,) = damage()
    assert result.description.startswith("block 1 holds no record where there was one")
    offset = BLOCK_SIZE + torn.index(b'"type";')
    entries = Entry.objects.order_by("pk").values_list("offset", "length")
    entry = next(item for item in entries if item[0] <= offset < sum(item))
    with pytest.raises(ArchiveDamageError, match="where there was a record there is none"):
        Reader(source.pk).record(*entry)


def test_what_the_file_still_holds_is_read_there(file: Path, source: Source) -> None:
    rot(source, 1)
    assert Reader(source.pk).read(0, source.archived) == file.read_bytes()


def test_a_file_that_says_something_else_is_not_believed(file: Path, source: Source) -> None:
    rot(source, 1)
    data = file.read_bytes()
    file.write_bytes(flipped(data, 8 * (BLOCK_SIZE + 1000)))
    with pytest.raises(ArchiveDamageError):
        Reader(source.pk).read(BLOCK_SIZE, 10)
    assert Reader(source.pk).read(0, BLOCK_SIZE) == data[:BLOCK_SIZE]
    (result,) = damage()
    assert not result.repairable


def test_a_missing_block_is_damage_and_the_others_are_read(source: Source, whole: bytes) -> None:
    Block.objects.filter(pk=block_of(source, 1)).delete()
    reader = Reader(source.pk)
    with pytest.raises(ArchiveDamageError, match="it is missing"):
        reader.read(BLOCK_SIZE, 10)
    assert reader.read(0, 100) == whole[:100]


def test_a_damaged_block_is_asked_for_once(source: Source, whole: bytes) -> None:
    rot(source, 0)
    reader = Reader(source.pk)
    reader.fetch([(0, 100)])
    with CaptureQueriesContext(connection) as queries:
        for offset in range(0, 1000, 100):
            assert reader.try_record(offset, 100)[1].startswith("Bytes 0 to 524,288 of the file are damaged")
    assert len(queries) == 0


def test_a_sound_block_takes_one_query_and_is_unpacked_as_far_as_needed(source: Source, whole: bytes) -> None:
    reader = Reader(source.pk)
    with CaptureQueriesContext(connection) as queries:
        assert reader.read(0, 100) == whole[:100]
    assert len(queries) == 1
    assert reader.decoded < BLOCK_SIZE // 2


def test_a_deep_search_goes_on_and_says_what_it_left_out(source: Source, whole: bytes) -> None:
    hits = [hit for hit in DeepSearch("harbour").hits() if hit]
    rot(source, 1)
    search = DeepSearch("harbour")
    result = [hit for hit in search.hits() if hit]
    assert 0 < len(result) < len(hits)
    assert {(item.start, item.end) for item in search.damage} == {(BLOCK_SIZE, 2 * BLOCK_SIZE)}


def test_a_check_names_session_and_range(source: Source, whole: bytes) -> None:
    rot(source, 1)
    (result,) = damage()
    assert (result.session, result.transcript) == ("33333333-2222-4333-8444-555555555555",) * 2
    assert (result.start, result.end, result.repairable) == (BLOCK_SIZE, 2 * BLOCK_SIZE, False)
    assert result.description == "block 1 has changed since it was archived" or "decompress" in result.description


def test_an_older_file_that_has_grown_since_still_tells(file: Path, source: Source) -> None:
    without_hashes()
    with file.open("ab") as grown:
        grown.write(b'{"type":"user"}\n')
    os.utime(file, (1, 1))
    rot(source, 1)
    (result,) = damage()
    assert (result.key, result.repairable) == (block_of(source, 1), True)
