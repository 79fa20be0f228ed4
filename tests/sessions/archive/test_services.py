"""Hashes are written with every block, older ones get theirs, and damaged ones come back byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from sessions.archive.engine.file_prints import print_of
from sessions.archive.engine.frames import BLOCK_SIZE, compressor, decompress
from sessions.archive.selectors.records import Reader
from sessions.archive.selectors.soundness import archive_steps
from sessions.archive.services import block_repair, blocks_catch_up, blocks_seal
from sessions.imports.services import bulk
from sessions.imports.services.sync import sync
from sessions.models import Block, Source
from tests.sessions.archive.rotting import block_of, rot, without_hashes
from tests.sessions.writing import Writing

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def writing() -> Writing:
    writing = Writing(session="33333333-2222-4333-8444-555555555555")
    for number in range(3):
        writing.user(f"{number} " * 200_000)
    return writing


@pytest.fixture
def file(tmp_path: Path, writing: Writing) -> Path:
    return writing.save(tmp_path / "projects" / "-home-dev-atlas")


@pytest.fixture
def source(file: Path) -> Source:
    sync([file.parents[1]], workers=1)
    return Source.objects.get()


def grow(file: Path) -> None:
    with file.open("ab") as end:
        end.write(b'{"type":"user"}\n')


def all_hashed() -> None:
    blocks = list(Block.objects.all())
    assert blocks
    for block in blocks:
        assert block.content_hash is not None
        assert block.frame_hash is not None
        assert bytes(block.content_hash) == print_of(decompress(bytes(block.data)))
        assert bytes(block.frame_hash) == print_of(bytes(block.data))


def test_a_small_import_writes_hashes(source: Source) -> None:
    all_hashed()


def test_a_large_import_writes_hashes(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "LARGE_BYTES", 0)
    sync([file.parents[1]], workers=2)
    assert not Source.objects.get().owed
    all_hashed()


def test_a_last_block_that_grows_gets_new_hashes(file: Path, source: Source) -> None:
    last = Block.objects.order_by("pk").last()
    assert last is not None
    grow(file)
    sync([file.parents[1]], workers=1)
    all_hashed()
    assert bytes(Block.objects.get(pk=last.pk).content_hash or b"") != bytes(last.content_hash or b"")


def test_a_warm_sync_writes_nothing_about_hashes(file: Path, source: Source) -> None:
    assert sync([file.parents[1]], workers=1).rows_written == 0


def test_older_blocks_get_their_hashes_bit_by_bit(file: Path, source: Source) -> None:
    without_hashes()
    assert sum(blocks_catch_up()) == Block.objects.count()
    all_hashed()
    assert list(blocks_catch_up()) == []


def test_an_older_block_that_is_not_what_the_file_holds_gets_none(file: Path, source: Source) -> None:
    without_hashes()
    rotten = block_of(source, 1)
    Block.objects.filter(pk=rotten).update(data=compressor()(b"x" * BLOCK_SIZE))
    list(blocks_catch_up())
    assert list(Block.objects.filter(frame_hash=None).values_list("pk", flat=True)) == [rotten]
    assert block_repair(block_id=rotten)
    all_hashed()
    assert Reader(source.pk).read(0, source.archived) == file.read_bytes()


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_damaged_block_comes_back_byte_for_byte(file: Path, source: Source, number: int) -> None:
    before = rot(source, number, seed=number)
    assert block_repair(block_id=block_of(source, number))
    assert bytes(Block.objects.get(pk=block_of(source, number)).data) == before
    assert [item for step in archive_steps() for item in step.damage] == []


def test_a_missing_block_comes_back(file: Path, source: Source) -> None:
    Block.objects.filter(pk=block_of(source, 1)).delete()
    assert block_repair(block_id=block_of(source, 1))
    all_hashed()
    assert [item for step in archive_steps() for item in step.damage] == []


def test_without_the_file_nothing_is_touched(file: Path, source: Source) -> None:
    rot(source, 1)
    file.unlink()
    rotten = bytes(Block.objects.get(pk=block_of(source, 1)).data)
    assert not block_repair(block_id=block_of(source, 1))
    assert bytes(Block.objects.get(pk=block_of(source, 1)).data) == rotten


def test_a_copy_at_the_old_place_brings_it_back(file: Path, source: Source) -> None:
    data = file.read_bytes()
    file.unlink()
    rot(source, 0)
    assert not block_repair(block_id=block_of(source, 0))
    file.write_bytes(data[: BLOCK_SIZE + 10])
    assert block_repair(block_id=block_of(source, 0))
    assert Reader(source.pk).read(0, source.archived) == data


def test_hashes_of_what_an_import_wrote_meanwhile_are_left_alone(file: Path, source: Source) -> None:
    without_hashes()
    steps = list(archive_steps())
    grow(file)
    sync([file.parents[1]], workers=1)
    for step in steps:
        blocks_seal(seals=step.seals)
    all_hashed()


def test_an_import_goes_on_beside_a_damaged_session(tmp_path: Path, file: Path, source: Source) -> None:
    rot(source, 0)
    rot(source, 1)
    other = Writing(session="44444444-2222-4333-8444-555555555555").turns(2)
    other.save(file.parent)
    grow(file)
    report = sync([file.parents[1]], workers=1)
    assert (report.failed, Source.objects.count()) == ([], 2)
