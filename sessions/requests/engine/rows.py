"""Which parts of a long list a page shows at once: the ends of each stretch of one fate; folds stand for the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from sessions.requests.engine.part import Fate, Part

SHORT = 8
"""A stretch of so many parts is shown whole."""
ENDS = 3
"""Parts at each end of a longer one."""
WINDOW = 120
"""Parts that one fold opens at once."""


@dataclass(frozen=True, slots=True)
class Fold:
    """Parts that are not shown: from `first` up to before `end`, counted from zero."""

    first: int
    end: int
    tokens: int
    fate: Fate | None

    @property
    def count(self) -> int:
        return self.end - self.first


def rows_of(parts: Sequence[Part], start: int | None = None, end: int | None = None) -> list[Part | Fold]:
    """`start`: everything from there on, up to `end`, as far as one window allows."""
    if start is None:
        return list(_folded(parts))
    start = min(max(0, start), len(parts))
    end = len(parts) if end is None else min(max(start, end), len(parts))
    stop = min(end, start + WINDOW)
    return [*parts[start:stop], *([_fold(parts, stop, end)] if stop < end else [])]


def _folded(parts: Sequence[Part]) -> Iterator[Part | Fold]:
    at = 0
    for _, run in groupby(parts, key=lambda part: (part.fate, bool(part.marks))):
        length = len(list(run))
        if length <= SHORT:
            yield from parts[at : at + length]
        else:
            yield from parts[at : at + ENDS]
            yield _fold(parts, at + ENDS, at + length - ENDS)
            yield from parts[at + length - ENDS : at + length]
        at += length


def _fold(parts: Sequence[Part], first: int, end: int) -> Fold:
    return Fold(first, end, sum(part.tokens for part in parts[first:end]), parts[first].fate)
