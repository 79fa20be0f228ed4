"""Lists of row numbers as a few bytes. Consecutive requests list nearly the same rows in order, mostly one after the
other: as differences they compress to almost nothing, and no request depends on another one."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import accumulate

import zstandard

_SMALL = 64
"""Below it, compressing costs more than it saves."""


def packed(numbers: Sequence[int]) -> bytes:
    steps = [one - before for before, one in zip((0, *numbers), numbers, strict=False)]
    raw = struct.pack(f"<{len(steps)}q", *steps)
    return b"\0" + raw if len(raw) <= _SMALL else b"\1" + zstandard.ZstdCompressor(level=9).compress(raw)


def unpacked(data: bytes) -> tuple[int, ...]:
    if not data:
        return ()
    raw = data[1:] if data[:1] == b"\0" else zstandard.ZstdDecompressor().decompress(data[1:])
    return tuple(accumulate(struct.unpack(f"<{len(raw) // 8}q", raw)))


def parts_bytes(*parts: bytes | memoryview | None) -> bytes:
    """Several lists as one: what the hash of a capture covers."""
    return b"".join(b"-" if part is None else b"%d:%s" % (len(part), bytes(part)) for part in parts)
