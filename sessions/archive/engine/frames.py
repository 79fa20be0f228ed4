"""The format of the archive: a file as zstd frames of a fixed raw size, so that any byte range is found by division.

Every block has two hashes. The hash of the frame covers only what is stored, so that every read can check it and still
decompress no more than it needs. The hash of the bytes proves the content itself, and tells whether a file still holds
what was archived. Both are BLAKE2b with 128 bits: safe from accidents, in the standard library, and computed without
the interpreter lock."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import zstandard

from sessions.archive.engine.file_prints import print_of

BLOCK_SIZE = 512 * 1024
LEVEL, QUICK_LEVEL = 3, 1
"""The quick one, for gigabytes, takes half the time and a twentieth more room."""


def compressor(*, quick: bool = False) -> Callable[[bytes | memoryview], bytes]:
    return zstandard.ZstdCompressor(level=QUICK_LEVEL if quick else LEVEL).compress


class PackedBlock(NamedTuple):
    """A block as it is stored."""

    number: int
    data: bytes
    """A zstd frame."""
    content_hash: bytes
    frame_hash: bytes


def pack_block(number: int, raw: bytes | memoryview, compress: Callable[[bytes | memoryview], bytes]) -> PackedBlock:
    data = compress(raw)
    return PackedBlock(number, data, print_of(raw), print_of(data))


def block_extent(number: int, size: int) -> tuple[int, int]:
    """How many bytes a block holds of a file with `size` archived bytes."""
    start = number * BLOCK_SIZE
    return start, max(start, min(start + BLOCK_SIZE, size))


def decompress(data: bytes, most: int = 0) -> bytes:
    """`most`: the largest size allowed, because a damaged header may claim any."""
    if most and zstandard.frame_content_size(data) > most:
        raise zstandard.ZstdError(f"its header speaks of more than {most:,} bytes")
    return zstandard.ZstdDecompressor().decompress(data, max_output_size=most)


def block_numbers(offset: int, length: int) -> range:
    """The numbers of the blocks that hold these bytes."""
    if length <= 0:
        return range(0)
    return range(offset // BLOCK_SIZE, (offset + length - 1) // BLOCK_SIZE + 1)


def cut_range(blocks: Mapping[int, bytes], offset: int, length: int) -> bytes:
    """The bytes of a range, from raw blocks by number. A missing block raises KeyError."""
    numbers = block_numbers(offset, length)
    if len(numbers) == 1:
        start = offset - numbers[0] * BLOCK_SIZE
        return blocks[numbers[0]][start : start + length]
    joined = b"".join(blocks[number] for number in numbers)
    start = offset - numbers.start * BLOCK_SIZE
    return joined[start : start + length]
