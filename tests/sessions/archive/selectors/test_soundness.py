from __future__ import annotations

from pathlib import Path

import pytest

from sessions.archive.engine.frames import BLOCK_SIZE, compressor
from sessions.archive.selectors.soundness import archive_extent, archive_steps
from sessions.imports.services.sync import sync
from sessions.models import Block, Source
from sessions.transcripts.engine.entry_ids import BLOCK_BITS
from tests.sessions.archive.rotting import without_hashes
from tests.sessions.writing import Writing

pytestmark = pytest.mark.django_db(transaction=True)

PACK = compressor()


@pytest.fixture
def source(tmp_path: Path) -> Source:
    """An imported file of three blocks."""
    writing = Writing(session="33333333-2222-4333-8444-555555555555")
    for number in range(3):
        writing.user(f"{number} " * 200_000)
    writing.save(tmp_path / "projects" / "-home-dev-atlas")
    sync([tmp_path / "projects"], workers=1)
    made = Source.objects.get()
    assert 2 * BLOCK_SIZE < made.archived < 3 * BLOCK_SIZE
    return made


def damage() -> list[str]:
    return [item.description for step in archive_steps() for item in step.damage]


def test_what_was_imported_is_sound_and_is_read_whole(source: Source) -> None:
    steps = list(archive_steps())
    extent = archive_extent()
    assert [item for step in steps for item in step.damage] == []
    assert (extent.files, extent.bytes) == (1, source.archived)
    assert sum(step.bytes for step in steps) == source.archived
    assert sum(step.blocks for step in steps) == Block.objects.count()
    assert sum(step.last for step in steps) == 1


def block(source: Source, number: int) -> int:
    return source.pk << BLOCK_BITS | number


def test_a_missing_block_is_noticed(source: Source) -> None:
    Block.objects.filter(pk=block(source, 1)).delete()
    assert damage() == ["block 1 is missing"]


def test_a_block_that_cannot_be_decompressed_is_noticed(source: Source) -> None:
    Block.objects.filter(pk=block(source, 1)).update(data=b"not a frame at all")
    (what,) = damage()
    assert what.startswith("block 1 cannot be decompressed")


def test_a_block_of_the_wrong_size_is_noticed(source: Source) -> None:
    Block.objects.filter(pk=block(source, 0)).update(data=PACK(b"x" * 10))
    assert damage() == [f"block 0 holds 10 bytes instead of {BLOCK_SIZE:,}"]


def test_other_bytes_at_the_ends_are_noticed(source: Source) -> None:
    without_hashes()
    Path(source.path).unlink()
    Block.objects.filter(pk=block(source, 0)).update(data=PACK(b"x" * BLOCK_SIZE))
    assert damage() == ["its first bytes are not those that were archived"]
    last = source.archived // BLOCK_SIZE
    Block.objects.filter(pk=block(source, last)).update(data=PACK(b"x" * (source.archived % BLOCK_SIZE)))
    Source.objects.update(head_hash=b"")
    assert damage()[-1] == "its last bytes are not those that were archived"


def test_blocks_that_nobody_needs_are_noticed(source: Source) -> None:
    Block.objects.create(pk=block(source, 77), data=PACK(b"x"))
    assert damage() == [f"1 more blocks than its {source.archived:,} bytes need"]


def test_a_source_that_is_gone_meanwhile_is_no_damage(source: Source) -> None:
    Block.objects.all().delete()
    steps = archive_steps()
    first = next(steps)
    assert first.blocks
    Source.objects.all().delete()
    assert [item for step in steps for item in step.damage] == []


def test_a_file_that_grows_meanwhile_is_looked_at_again(source: Source) -> None:
    whole, number = source.archived, source.archived // BLOCK_SIZE
    steps = archive_steps()
    next(steps)
    grown = bytes(1000)
    Block.objects.filter(pk=block(source, number)).update(data=PACK(bytes(whole % BLOCK_SIZE) + grown))
    Source.objects.update(archived=whole + len(grown), tail_hash=b"")
    assert [item for step in steps for item in step.damage] == []


def test_an_empty_archive_is_sound() -> None:
    assert list(archive_steps()) == []
    assert archive_extent().bytes == 0
