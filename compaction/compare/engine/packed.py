"""The messages of a long context, held small: packed by the stretch, and unpacked where one of them is asked for."""

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


class Packed(Sequence[Message]):
    def __init__(self, messages: Sequence[Message]) -> None:
        pack = zstandard.ZstdCompressor(level=1).compress
        starts = range(0, len(messages), STRETCH)
        # Unlike JSON, it keeps whatever Python has: lone surrogates, too. It never leaves the process.
        self._packed = [pack(pickle.dumps(tuple(messages[at : at + STRETCH]))) for at in starts]
        self._size = len(messages)
        self._open: dict[int, tuple[Message, ...]] = {}

    def __len__(self) -> int:
        return self._size

    @property
    def bytes(self) -> int:
        return sum(map(len, self._packed))

    @overload
    def __getitem__(self, at: int) -> Message: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[Message, ...]: ...

    def __getitem__(self, at: int | slice) -> Message | tuple[Message, ...]:
        if isinstance(at, slice):
            return tuple(self[one] for one in range(*at.indices(self._size)))
        number = range(self._size)[at]
        known = self._open.get(number // STRETCH)
        if known is None:
            # Another thread may do the same: either way it is the same stretch.
            known = self._unpacked(number // STRETCH)
            self._open = dict(islice(self._open.items(), max(0, len(self._open) + 1 - OPEN), None))
            self._open[number // STRETCH] = known
        return known[number % STRETCH]

    def __iter__(self) -> Iterator[Message]:
        for number in range(len(self._packed)):
            yield from self._unpacked(number)

    def _unpacked(self, number: int) -> tuple[Message, ...]:
        found: tuple[Message, ...] = pickle.loads(  # noqa: S301
            zstandard.ZstdDecompressor().decompress(self._packed[number])
        )
        return found
