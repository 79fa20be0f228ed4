"""Undoes the content encoding of a body. An answer that was cut off gives what can be read of it."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import brotli
import zstandard

MOST = 256 * 1024 * 1024
_STEP = 64 * 1024


@dataclass(frozen=True, slots=True)
class Unreadable:
    why: str


def decoded(body: bytes, encoding: str) -> bytes | Unreadable:
    """`encoding`: the header; with several, the last was applied last."""
    for name in reversed([one.strip().lower() for one in encoding.split(",") if one.strip()]):
        if name in ("", "identity"):
            continue
        if name not in ("gzip", "x-gzip", "deflate", "br", "zstd"):
            return Unreadable(f"It is encoded as {name[:40]}, which Lucid cannot read.")
        try:
            body = _undone(body, name)
        except (zlib.error, brotli.error, zstandard.ZstdError, EOFError):
            return Unreadable(f"It says that it is encoded as {name}, but it is not.")
        except MemoryError:
            return Unreadable("It unfolds to more than Lucid reads.")
    return body


def _undone(body: bytes, name: str) -> bytes:
    if name == "zstd":
        return _bounded(zstandard.ZstdDecompressor().decompressobj(read_across_frames=True), body)
    if name == "br":
        return _unbrotlied(body)
    if name == "deflate":
        # Some servers send it with the zlib header that it should have, some without.
        try:
            return _inflated(body, zlib.MAX_WBITS)
        except zlib.error:
            return _inflated(body, -zlib.MAX_WBITS)
    return _inflated(body, zlib.MAX_WBITS | 16)


def _inflated(body: bytes, bits: int) -> bytes:
    whole: list[bytes] = []
    while body:
        inflating = zlib.decompressobj(bits)
        whole.append(inflating.decompress(body, MOST))
        if inflating.unconsumed_tail:
            raise MemoryError
        body = inflating.unused_data
    return b"".join(whole)


def _unbrotlied(body: bytes) -> bytes:
    return _bounded(_Brotli(), body)


class _Brotli:
    def __init__(self) -> None:
        self._inner = brotli.Decompressor()

    def decompress(self, data: bytes, /) -> bytes:
        found: bytes = self._inner.process(data)
        return found


def _bounded(inner: zstandard.ZstdDecompressionObj | _Brotli, body: bytes) -> bytes:
    """In steps, so that a small body which unfolds without end is noticed in time."""
    whole, size = [], 0
    for at in range(0, len(body), _STEP):
        piece = inner.decompress(body[at : at + _STEP])
        size += len(piece)
        if size > MOST:
            raise MemoryError
        whole.append(piece)
    return b"".join(whole)
