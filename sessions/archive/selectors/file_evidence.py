"""What the file that a source was read from still tells of the archive: bytes that a block must have held."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property

from sessions.archive.engine.damage import unpack_block
from sessions.archive.engine.file_prints import PRINT_BYTES, print_of, tail_print
from sessions.archive.engine.frames import BLOCK_SIZE, block_extent
from sessions.archive.selectors.blocks import file_bytes, is_unchanged
from sessions.models import Block, Source
from sessions.transcripts.engine.entry_ids import BLOCK_BITS
from sessions.transcripts.engine.paths import decode_path


@dataclass
class FileEvidence:
    """What the file of one source proves. A hash decides by itself; without one the file must be the one that was
    archived."""

    source: Source
    _neighbours: dict[int, bool] = field(default_factory=dict)

    def find_block(self, number: int, content_hash: bytes | None) -> bytes | None:
        """The bytes of the block, if the file certainly holds them."""
        start, end = block_extent(number, self.source.archived)
        data = file_bytes(self.source, start, end)
        if data is None:
            return None
        if content_hash is not None:
            return data if print_of(data) == content_hash else None
        if self._is_unchanged:
            return data
        return data if self._has_grown and self._has_sound_neighbours(number) else None

    @cached_property
    def _is_unchanged(self) -> bool:
        return is_unchanged(self.source)

    @cached_property
    def _has_grown(self) -> bool:
        """Whether the file still begins, and ends at the archived size, as it did then."""
        source = self.source
        if not source.head_hash or not source.tail_hash or source.owed:
            return False
        with suppress(OSError), decode_path(source.path).open("rb") as file:
            head = print_of(file.read(min(PRINT_BYTES, source.archived)))
            return head == bytes(source.head_hash) and tail_print(file, source.archived) == bytes(source.tail_hash)
        return False

    def _has_sound_neighbours(self, number: int) -> bool:
        """Whether the blocks before and after it equal those of the file, which then was not rewritten there."""
        last = (self.source.archived - 1) // BLOCK_SIZE
        return all(
            self._agrees_with_file(neighbour) for neighbour in (number - 1, number + 1) if 0 <= neighbour <= last
        )

    def _agrees_with_file(self, number: int) -> bool:
        if number not in self._neighbours:
            start, end = block_extent(number, self.source.archived)
            packed = Block.objects.filter(pk=self.source.pk << BLOCK_BITS | number).values_list("data", flat=True)
            data = packed.first()
            raw = None if data is None else unpack_block(data, end - start)
            self._neighbours[number] = isinstance(raw, bytes) and raw == file_bytes(self.source, start, end)
        return self._neighbours[number]
