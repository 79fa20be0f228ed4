"""The archive's form: a file as zstd frames of fixed raw size, so that any byte range is found by division."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import zstandard

BLOCK_SIZE = 512 * 1024
LEVEL, QUICK_LEVEL = 3, 1
"""The quick one, for gigabytes, takes half the time and a twentieth more room."""


def compressor(*, quick: bool = False) -> Callable[[bytes | memoryview], bytes]:
    return zstandard.ZstdCompressor(level=QUICK_LEVEL if quick else LEVEL).compress


def decompress(data: bytes) -> bytes:
    return zstandard.ZstdDecompressor().decompress(data)


def blocks_of(offset: int, length: int) -> range:
    """The numbers of the blocks that hold these bytes."""
    if length <= 0:
        return range(0)
    return range(offset // BLOCK_SIZE, (offset + length - 1) // BLOCK_SIZE + 1)


def cut(blocks: Mapping[int, bytes], offset: int, length: int) -> bytes:
    """The bytes of a range out of raw blocks by number; a missing block raises KeyError."""
    wanted = blocks_of(offset, length)
    if len(wanted) == 1:
        start = offset - wanted[0] * BLOCK_SIZE
        return blocks[wanted[0]][start : start + length]
    joined = b"".join(blocks[number] for number in wanted)
    start = offset - wanted.start * BLOCK_SIZE
    return joined[start : start + length]
