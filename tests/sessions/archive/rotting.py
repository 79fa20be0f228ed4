"""Bit rot: what is stored changes by itself, as on a bad disk."""

from __future__ import annotations

from random import Random

from sessions.models import Block, Source
from sessions.transcripts.engine.entry_ids import BLOCK_BITS


def flipped(data: bytes, bit: int) -> bytes:
    return data[: bit // 8] + bytes([data[bit // 8] ^ 1 << bit % 8]) + data[bit // 8 + 1 :]


def block_of(source: Source, number: int) -> int:
    return source.pk << BLOCK_BITS | number


def rot(source: Source, number: int, seed: int = 1) -> bytes:
    """Flip one bit of a block. Returns what it held before."""
    block = Block.objects.get(pk=block_of(source, number))
    before = bytes(block.data)
    block.data = flipped(before, Random(seed).randrange(8 * len(before)))
    block.save(update_fields=["data"])
    return before


def without_hashes() -> None:
    """As an archive from before there were any."""
    Block.objects.update(content_hash=None, frame_hash=None)
