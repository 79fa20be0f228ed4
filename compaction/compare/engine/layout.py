"""Decides which rows of a comparison a page shows first: the ends of long runs of one status, and the first of very
many rows.

The rest are gaps that can be opened, so that a page costs the same however long the contexts are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import groupby

from compaction.compare.engine.comparison import Comparison, StatusCount, count_statuses
from compaction.compare.engine.status import Status

WINDOW = 40
"""Rows that are shown at once."""
SHORT = 6
"""A run of so many rows is shown whole."""
HEAD, TAIL = 2, 1
"""Rows of a longer one."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Rows that are not shown, from `first` up to before `end`, counted among the chosen ones."""

    first: int
    end: int
    counts: tuple[StatusCount, ...]

    @property
    def count(self) -> int:
        return self.end - self.first

    @property
    def last(self) -> int:
        """Where the last page of the gap begins."""
        return max(self.first, self.end - WINDOW)

    @property
    def single(self) -> StatusCount | None:
        """The status of the rows, if all have the same one."""
        return self.counts[0] if len(self.counts) == 1 else None

    @property
    def before(self) -> int:
        return sum(count.before for count in self.counts)

    @property
    def after(self) -> int:
        return sum(count.after for count in self.counts)


class Layout:
    """The rows of the chosen statuses; all of them if none is chosen."""

    def __init__(self, comparison: Comparison, chosen: Collection[Status] = ()) -> None:
        self._comparison = comparison
        rows = enumerate(comparison.rows)
        self._rows = (
            [index for index, row in rows if row.status in chosen] if chosen else list(range(len(comparison.rows)))
        )

    def __len__(self) -> int:
        return len(self._rows)

    def page(self, start: int | None = None) -> list[int | Gap]:
        """Places of rows, and gaps: every row from `start` on, or without it the ends of runs."""
        if start is None:
            return list(self._fold(0, len(self)))
        start = min(max(0, start), max(0, len(self) - 1))
        before = [self._gap(0, start)] if start else []
        return [*before, *self._open(start, len(self))]

    def fill(self, first: int, end: int, start: int) -> list[int | Gap]:
        """Rows of a gap from `start` on, with smaller gaps for the rest."""
        end = min(end, len(self))
        first = min(max(0, first), end)
        start = min(max(first, start), end)
        before = [self._gap(first, start)] if first < start else []
        uniform = len({self._status(index) for index in range(start, end)}) < 2
        return [*before, *(self._open(start, end) if uniform else self._fold(start, end))]

    def _open(self, first: int, end: int) -> Iterator[int | Gap]:
        stop = min(end, first + WINDOW)
        yield from self._rows[first:stop]
        if stop < end:
            yield self._gap(stop, end)

    def _fold(self, first: int, end: int) -> Iterator[int | Gap]:
        room = WINDOW
        for _, run in groupby(range(first, end), key=self._status):
            places = list(run)
            short = len(places) <= SHORT
            visible = len(places) if short else HEAD + TAIL
            if visible > room:
                yield self._gap(places[0], end)
                return
            room -= visible
            if short:
                yield from (self._rows[index] for index in places)
                continue
            yield from (self._rows[index] for index in places[:HEAD])
            yield self._gap(places[HEAD], places[-TAIL])
            yield from (self._rows[index] for index in places[-TAIL:])

    def _status(self, index: int) -> Status:
        return self._comparison.rows[self._rows[index]].status

    def _gap(self, first: int, end: int) -> Gap:
        rows = [self._comparison.rows[index] for index in self._rows[first:end]]
        return Gap(first, end, tuple(count_statuses(self._comparison, rows)))
