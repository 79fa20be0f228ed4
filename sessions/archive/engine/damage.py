"""Damage: stored bytes that differ from what was written. Readers get an error, never wrong bytes."""

from __future__ import annotations

import zstandard

from sessions.archive.engine.file_prints import print_of
from sessions.archive.engine.frames import BLOCK_SIZE, decompress

MISSING = "it is missing"
CHANGED = "its bytes have changed since they were archived"
UNREADABLE = "it cannot be decompressed"
NO_RECORD = "where there was a record there is none"
TOO_SHORT = "it holds fewer bytes than were archived"


class DamageError(Exception):
    """Something that was stored cannot be read back unchanged. `str()` is a sentence for people."""


class ArchiveDamageError(DamageError):
    """The bytes of a source from `start` up to before `end` are damaged in the archive."""

    def __init__(self, source_id: int, start: int, end: int, why: str) -> None:
        super().__init__(describe_damage(start, end, why))
        self.source_id = source_id
        self.start = start
        self.end = end
        self.why = why


def describe_damage(start: int, end: int, why: str) -> str:
    return f"Bytes {start:,} to {end:,} of the file are damaged in the archive: {why}."


def unpack_content(data: bytes | memoryview, size: int, name: str) -> bytes:
    """The content of a frame of this size. `name` is the subject of an error's sentence."""
    try:
        raw = decompress(bytes(data), most=size)
    except (zstandard.ZstdError, MemoryError) as error:
        raise DamageError(f"{name} is damaged: {UNREADABLE} ({error}).") from error
    if len(raw) != size:
        raise DamageError(f"{name} is damaged: it holds {len(raw):,} bytes instead of {size:,}.")
    return raw


def verify(data: bytes | memoryview, expected: bytes | memoryview | None, name: str) -> None:
    """Compares stored bytes with their hash. Those from a version without hashes have none."""
    if expected is not None and print_of(data) != bytes(expected):
        raise DamageError(f"{name} is damaged: its bytes have changed since it was stored.")


def unpack_block(data: bytes | memoryview, size: int) -> bytes | str:
    """All bytes of a block, or why they cannot be read."""
    try:
        raw = decompress(bytes(data), most=BLOCK_SIZE)
    except (zstandard.ZstdError, MemoryError) as error:
        return f"{UNREADABLE} ({error})"
    return raw if len(raw) == size else f"it holds {len(raw):,} bytes instead of {size:,}"
