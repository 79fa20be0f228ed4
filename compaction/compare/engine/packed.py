"""Keeps the messages of a long context compressed, and unpacks only the needed part."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import overload

import zstandard

from sessions.transcripts.engine.messages import Message

STRETCH = 128
OPEN = 8
"""Stretches that stay unpacked: a page shows messages that stand together, each several times."""


class PackedMessages(Sequence[Message]):
    def __init__(self, messages: Sequence[Message]) -> None:
        pack = zstandard.ZstdCompressor(level=1).compress
        starts = range(0, len(messages), STRETCH)
        # Unlike JSON, pickle keeps every Python value, including lone surrogates. It never leaves the process.
        self._packed = [pack(pickle.dumps(tuple(messages[start : start + STRETCH]))) for start in starts]
        self._size = len(messages)
        self._open: dict[int, tuple[Message, ...]] = {}

    def __len__(self) -> int:
        return self._size

    @property
    def bytes(self) -> int:
        return sum(map(len, self._packed))

    @overload
    def __getitem__(self, index: int) -> Message: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Message, ...]: ...

    def __getitem__(self, index: int | slice) -> Message | tuple[Message, ...]:
        if isinstance(index, slice):
            return tuple(self[number] for number in range(*index.indices(self._size)))
        number = range(self._size)[index]
        stretch = self._open.get(number // STRETCH)
        if stretch is None:
            # Another thread may do the same, with the same result.
            stretch = self._unpack(number // STRETCH)
            self._open = dict(islice(self._open.items(), max(0, len(self._open) + 1 - OPEN), None))
            self._open[number // STRETCH] = stretch
        return stretch[number % STRETCH]

    def __iter__(self) -> Iterator[Message]:
        for number in range(len(self._packed)):
            yield from self._unpack(number)

    def _unpack(self, number: int) -> tuple[Message, ...]:
        messages: tuple[Message, ...] = pickle.loads(  # noqa: S301
            zstandard.ZstdDecompressor().decompress(self._packed[number])
        )
        return messages
