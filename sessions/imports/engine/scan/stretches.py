"""Reads a file in stretches of bounded size: archive blocks, scanned rows and, at the end, their links."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sessions.archive.engine.file_prints import PRINT_BYTES, print_of, tail_print
from sessions.archive.engine.frames import BLOCK_SIZE, PackedBlock, compressor, pack_block
from sessions.imports.engine.scan.batch import Batch
from sessions.imports.engine.scan.scanner import Scanner

STRETCH = 8 * BLOCK_SIZE
LONGEST_LINE = 128 * 1024 * 1024
"""A longer one is reported and left alone: it would not fit into memory, and nobody wrote it as a record."""


@dataclass(slots=True)
class Stretch:
    """A piece of a file on its way to the database. The next import continues at `parsed`."""

    blocks: list[PackedBlock] = field(default_factory=list)
    size: int = 0
    """Raw bytes of this piece."""
    archived: int = 0
    parsed: int = 0
    batch: Batch | None = None
    last: bool = False
    head_hash: bytes = b""
    tail_hash: bytes = b""


def read_stretches(
    path: Path, start: int, size: int, scanner: Scanner | None, *, pack: bool = True, quick: bool = False
) -> Iterator[Stretch]:
    """Reads `path` from the parsed offset `start` to `size`.

    The block that holds `start` is written again. Without a scanner the file is only archived, without `pack` only
    scanned. `quick` is for many files."""
    compress = compressor(quick=quick)
    with path.open("rb") as file:
        head = print_of(file.read(min(PRINT_BYTES, size)))
        position = start - start % BLOCK_SIZE
        file.seek(position)
        lines = _Lines(scanner) if scanner is not None else None
        skip = start - position
        while True:
            data = file.read(min(STRETCH, size - position))
            stretch = Stretch(size=len(data), archived=position + len(data), head_hash=head)
            view = memoryview(data)
            for number, offset in enumerate(range(0, len(data) if pack else 0, BLOCK_SIZE), position // BLOCK_SIZE):
                stretch.blocks.append(pack_block(number, view[offset : offset + BLOCK_SIZE], compress))
            position += len(data)
            stretch.last = position >= size or not data
            stretch.parsed = position
            if scanner is not None and lines is not None:
                stretch.parsed = lines.feed(data[skip:], position, last=stretch.last)
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


class _Lines:
    """Cuts a file into lines for the scanner, and keeps what follows the last line end for the next piece."""

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._rest = b""
        self._endless: int | None = None
        """Where a line begins that is too long to be kept."""

    def feed(self, data: bytes, end: int, *, last: bool) -> int:
        """Takes the next piece, which ends at `end`, and returns how far the file has been read."""
        text = self._rest + data
        start = end - len(text)
        if self._endless is not None:
            newline = text.find(b"\n")
            if newline < 0 and not last:
                return self._endless
            line_end = start + newline if newline >= 0 else end
            self._scanner.report_too_long(self._endless, line_end - self._endless)
            self._endless = None
            text = text[line_end - start + 1 :]
            start = end - len(text)
        consumed = self._scanner.feed_all(text, start)
        self._rest = text[consumed:]
        if last and self._rest.strip():
            return self._feed_last(start + consumed, end)
        if len(self._rest) > LONGEST_LINE:
            self._endless, self._rest = start + consumed, b""
            return self._endless
        return end - len(self._rest)

    def _feed_last(self, start: int, end: int) -> int:
        if self._scanner.is_whole(self._rest):
            self._scanner.feed(self._rest, start)
            return end
        self._scanner.report_partial(self._rest, start)
        return start
