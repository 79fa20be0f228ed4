"""Packs lists of row numbers into a few bytes.

Requests list mostly consecutive rows, so their differences compress to almost nothing."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import accumulate

import zstandard

_SMALL = 64
"""Up to this size, compression costs more than it saves."""


def pack_numbers(numbers: Sequence[int]) -> bytes:
    steps = [number - previous for previous, number in zip((0, *numbers), numbers, strict=False)]
    raw = struct.pack(f"<{len(steps)}q", *steps)
    return b"\0" + raw if len(raw) <= _SMALL else b"\1" + zstandard.ZstdCompressor(level=9).compress(raw)


def unpack_numbers(data: bytes) -> tuple[int, ...]:
    if not data:
        return ()
    raw = data[1:] if data[:1] == b"\0" else zstandard.ZstdDecompressor().decompress(data[1:])
    return tuple(accumulate(struct.unpack(f"<{len(raw) // 8}q", raw)))


def join_parts(*parts: bytes | memoryview | None) -> bytes:
    """Several packed lists as one value, of which the hash of a capture is made."""
    return b"".join(b"-" if part is None else b"%d:%s" % (len(part), bytes(part)) for part in parts)
