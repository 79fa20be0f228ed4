"""Decides which parts of a long list a page shows first: the ends of each run of one fate, with folds between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from sessions.requests.engine.part import CacheFate, RequestPart

SHORT = 8
"""A stretch of at most this many parts is shown as a whole."""
ENDS = 3
"""Parts shown at each end of a longer stretch."""
WINDOW = 120
"""The most parts that a fold opens at once."""


@dataclass(frozen=True, slots=True)
class Fold:
    """Parts that are not shown: from `first` up to before `end`, counted from zero."""

    first: int
    end: int
    tokens: int
    fate: CacheFate | None

    @property
    def count(self) -> int:
        return self.end - self.first


def fold_parts(
    parts: Sequence[RequestPart], start: int | None = None, end: int | None = None
) -> list[RequestPart | Fold]:
    """The parts with folds. With `start`: all parts from there up to `end`, as far as one window allows."""
    if start is None:
        return list(_fold_stretches(parts))
    start = min(max(0, start), len(parts))
    end = len(parts) if end is None else min(max(start, end), len(parts))
    stop = min(end, start + WINDOW)
    return [*parts[start:stop], *([_fold(parts, stop, end)] if stop < end else [])]


def _fold_stretches(parts: Sequence[RequestPart]) -> Iterator[RequestPart | Fold]:
    index = 0
    for _, run in groupby(parts, key=lambda part: (part.fate, bool(part.marks))):
        length = len(list(run))
        if length <= SHORT:
            yield from parts[index : index + length]
        else:
            yield from parts[index : index + ENDS]
            yield _fold(parts, index + ENDS, index + length - ENDS)
            yield from parts[index + length - ENDS : index + length]
        index += length


def _fold(parts: Sequence[RequestPart], first: int, end: int) -> Fold:
    return Fold(first, end, sum(part.tokens for part in parts[first:end]), parts[first].fate)
