"""Decodes the content encoding of a body, as far as it arrived."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import brotli
import zstandard

MAX_BYTES = 256 * 1024 * 1024
_STEP = 64 * 1024


@dataclass(frozen=True, slots=True)
class Unreadable:
    why: str


def decode_body(body: bytes, encoding: str) -> bytes | Unreadable:
    """`encoding`: the header, whose last encoding was applied last."""
    for name in reversed([part.strip().lower() for part in encoding.split(",") if part.strip()]):
        if name in ("", "identity"):
            continue
        if name not in ("gzip", "x-gzip", "deflate", "br", "zstd"):
            return Unreadable(f"It is encoded as {name[:40]}, which Lucid cannot read.")
        try:
            body = _decode_one(body, name)
        except (zlib.error, brotli.error, zstandard.ZstdError, EOFError):
            return Unreadable(f"It says that it is encoded as {name}, but it is not.")
        except MemoryError:
            return Unreadable("It unfolds to more than Lucid reads.")
    return body


def _decode_one(body: bytes, name: str) -> bytes:
    if name == "zstd":
        return _decompress_bounded(zstandard.ZstdDecompressor().decompressobj(read_across_frames=True), body)
    if name == "br":
        return _decompress_brotli(body)
    if name == "deflate":
        # Some servers omit the zlib header.
        try:
            return _inflate(body, zlib.MAX_WBITS)
        except zlib.error:
            return _inflate(body, -zlib.MAX_WBITS)
    return _inflate(body, zlib.MAX_WBITS | 16)


def _inflate(body: bytes, bits: int) -> bytes:
    pieces: list[bytes] = []
    while body:
        decompressor = zlib.decompressobj(bits)
        pieces.append(decompressor.decompress(body, MAX_BYTES))
        if decompressor.unconsumed_tail:
            raise MemoryError
        body = decompressor.unused_data
    return b"".join(pieces)


def _decompress_brotli(body: bytes) -> bytes:
    return _decompress_bounded(_Brotli(), body)


class _Brotli:
    def __init__(self) -> None:
        self._inner = brotli.Decompressor()

    def decompress(self, data: bytes, /) -> bytes:
        piece: bytes = self._inner.process(data)
        return piece


def _decompress_bounded(inner: zstandard.ZstdDecompressionObj | _Brotli, body: bytes) -> bytes:
    """In steps, so that a decompression bomb is noticed in time."""
    pieces, size = [], 0
    for start in range(0, len(body), _STEP):
        piece = inner.decompress(body[start : start + _STEP])
        size += len(piece)
        if size > MAX_BYTES:
            raise MemoryError
        pieces.append(piece)
    return b"".join(pieces)
