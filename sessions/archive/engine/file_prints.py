"""Hashes of the first and last bytes of a file, which tell a file that grew from one that was rewritten."""

from __future__ import annotations

from hashlib import blake2b
from typing import BinaryIO

PRINT_BYTES = 1024


def print_of(data: bytes | memoryview) -> bytes:
    return blake2b(data, digest_size=16).digest()


def tail_print(file: BinaryIO, end: int) -> bytes:
    """A hash of the bytes before `end`."""
    start = max(0, end - PRINT_BYTES)
    file.seek(start)
    return print_of(file.read(end - start))
