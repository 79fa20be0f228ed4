"""Reads a file in stretches of bounded size: archive blocks, scanned rows and, at the end, what links them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

from sessions.engine.archive import BLOCK_SIZE, compressor
from sessions.engine.scan.batch import Batch
from sessions.engine.scan.scanner import Scanner

STRETCH = 8 * BLOCK_SIZE
PRINT_BYTES = 1024


@dataclass(slots=True)
class Stretch:
    """A piece of a file as it goes to the database. `parsed` is where the next import reads on."""

    blocks: list[tuple[int, bytes]] = field(default_factory=list)
    size: int = 0
    """Raw bytes of this piece."""
    archived: int = 0
    parsed: int = 0
    batch: Batch | None = None
    last: bool = False
    head_hash: bytes = b""
    tail_hash: bytes = b""


def print_of(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).digest()


def read_stretches(
    path: Path, start: int, size: int, scanner: Scanner | None, *, pack: bool = True
) -> Iterator[Stretch]:
    """Read `path` from the parsed offset `start` to `size`; the block that `start` lies in is written anew.

    Without a scanner the file is only archived; without `pack` it is only scanned."""
    compress = compressor()
    with path.open("rb") as file:
        head = print_of(file.read(min(PRINT_BYTES, size)))
        position = start - start % BLOCK_SIZE
        file.seek(position)
        carry = b""
        skip = start - position
        while True:
            data = file.read(min(STRETCH, size - position))
            stretch = Stretch(size=len(data), archived=position + len(data), head_hash=head)
            view = memoryview(data)
            for number, at in enumerate(range(0, len(data) if pack else 0, BLOCK_SIZE), position // BLOCK_SIZE):
                stretch.blocks.append((number, compress(view[at : at + BLOCK_SIZE])))
            position += len(data)
            stretch.last = position >= size or not data
            stretch.parsed = position
            if scanner is not None:
                text = carry + data[skip:]
                carry = _scan(scanner, text, position - len(text), last=stretch.last)
                stretch.parsed = position - len(carry)
                stretch.batch = scanner.take()
            skip = 0
            if not pack:
                stretch.tail_hash = tail_print(file, stretch.parsed)
                file.seek(position)
            elif stretch.last:
                stretch.tail_hash = tail_print(file, position)
            yield stretch
            if stretch.last:
                return


def _scan(scanner: Scanner, text: bytes, offset: int, *, last: bool) -> bytes:
    """Feed the whole lines of `text`, which starts at `offset`; what is left over is returned."""
    at = scanner.feed_all(text, offset)
    rest = text[at:]
    if last and rest.strip():
        if scanner.whole(rest):
            scanner.feed(rest, offset + at)
            return b""
        scanner.partial(rest, offset + at)
    return rest


def tail_print(file: BinaryIO, end: int) -> bytes:
    """Of the bytes before `end`."""
    start = max(0, end - PRINT_BYTES)
    file.seek(start)
    return print_of(file.read(end - start))
