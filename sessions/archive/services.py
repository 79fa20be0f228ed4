"""Adds hashes to blocks, and restores damaged ones from the files that they were read from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.db import connection, transaction

from sessions.archive.engine.frames import compressor, pack_block
from sessions.archive.selectors.blocks import NUMBER_MASK
from sessions.archive.selectors.file_evidence import FileEvidence
from sessions.archive.selectors.soundness import Seal, source_steps
from sessions.models import Block, Capture, Source
from sessions.transcripts.engine.entry_ids import BLOCK_BITS

# An import may have replaced the block meanwhile: it then has hashes, and these are of other bytes.
SEAL = "UPDATE transcripts_block SET content_hash = %s, frame_hash = %s WHERE id = %s AND frame_hash IS NULL"


def blocks_seal(*, seals: Sequence[Seal]) -> None:
    if not seals:
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.executemany(SEAL, [(seal.content_hash, seal.frame_hash, seal.block_id) for seal in seals])


def captures_seal(*, hashes: Sequence[tuple[int, bytes]]) -> None:
    """Adds hashes to captures from a version that stored none."""
    for pk, capture_hash in hashes:
        Capture.objects.filter(pk=pk, parts_hash=None).update(parts_hash=capture_hash)


def blocks_catch_up() -> Iterator[int]:
    """Adds hashes to blocks from a version that stored none, a few with each step. Damaged blocks get none; a check
    reports them."""
    after = 0
    while True:
        unsealed = Block.objects.filter(frame_hash=None, pk__gte=after).order_by("pk").values_list("pk", flat=True)
        block_id = unsealed.first()
        if block_id is None:
            return
        source = Source.objects.filter(pk=block_id >> BLOCK_BITS, archived__gt=0).first()
        for step in source_steps(source) if source is not None else ():
            blocks_seal(seals=step.seals)
            yield len(step.seals)
        after = (block_id >> BLOCK_BITS) + 1 << BLOCK_BITS


def block_repair(*, block_id: int) -> bool:
    """Restores a damaged block from the file. False unless the file certainly holds its bytes."""
    source = Source.objects.filter(pk=block_id >> BLOCK_BITS).first()
    if source is None:
        return False
    before = Block.objects.filter(pk=block_id).values_list("content_hash", flat=True)[:1]
    known_hash = next((bytes(stored_hash) for stored_hash in before if stored_hash is not None), None)
    number = block_id & NUMBER_MASK
    raw = FileEvidence(source).find_block(number, known_hash)
    if raw is None:
        return False
    _, data, content_hash, frame_hash = pack_block(number, raw, compressor())
    values = {"data": data, "content_hash": content_hash, "frame_hash": frame_hash}
    with transaction.atomic():
        if not before.exists():
            _, created = Block.objects.get_or_create(pk=block_id, defaults=values)
            return created
        # Only the block that was read: an import may have replaced it meanwhile.
        return bool(Block.objects.filter(pk=block_id, content_hash=known_hash).update(**values))
