"""Rows as bytes: compressed MessagePack. A part fits into memory, unless a single row is larger."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
import zstandard

from inspector.backup.format.errors import BackupError

Value = None | bool | int | float | str | bytes
Row = Sequence[Value]

PART_BYTES = 4 * 1024 * 1024
PART_ROWS = 20_000
MOST_RAW = 128 * 1024 * 1024
"""No row comes near it: a recorded exchange has at most 64 MB."""
LEVEL = 3

_encode = msgspec.msgpack.Encoder().encode
_decoder = msgspec.msgpack.Decoder(list[tuple[Any, ...]])
_KINDS = {type(None), bool, int, float, str, bytes}


class UnreadableError(Exception):
    """The bytes are not rows."""


def batches(rows: Iterable[Row], wide: Sequence[int]) -> Iterator[list[Row]]:
    """The rows of each part. `wide`: columns whose values may be long."""
    batch: list[Row] = []
    size = 0
    for row in rows:
        batch.append(row)
        for column in wide:
            value = row[column]
            if isinstance(value, (bytes, str)):
                size += len(value)
        if size >= PART_BYTES or len(batch) >= PART_ROWS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def pack(rows: Sequence[Row]) -> tuple[bytes, int]:
    """The bytes of a part, and their number before compression."""
    raw = _encode(rows)
    if len(raw) > MOST_RAW:
        raise BackupError(f"A row is too large to be backed up ({len(raw):,} bytes).")
    return zstandard.ZstdCompressor(level=LEVEL, write_checksum=True, write_content_size=True).compress(raw), len(raw)


def unpack(data: bytes) -> tuple[list[tuple[Value, ...]], int]:
    """The rows and their size. A part that claims to be larger than anything Lucid writes is not decompressed."""
    try:
        size = zstandard.frame_content_size(data)
        if not 0 <= size <= MOST_RAW:
            raise UnreadableError("it claims an absurd size")
        raw = zstandard.ZstdDecompressor().decompress(data, max_output_size=MOST_RAW, allow_extra_data=False)
        rows = _decoder.decode(raw)
    except (zstandard.ZstdError, msgspec.MsgspecError, RecursionError) as error:
        raise UnreadableError(str(error)) from error
    if not {type(value) for row in rows for value in row} <= _KINDS:
        raise UnreadableError("it holds what no column holds")
    return rows, len(raw)
