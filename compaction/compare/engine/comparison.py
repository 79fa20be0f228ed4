"""Compares two contexts message by message, with the tokens of each row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from compaction.compare.engine.align import ComparisonRow, Pairs, match_messages
from compaction.compare.engine.causes import Causes
from compaction.compare.engine.status import Status
from sessions.transcripts.engine.messages import Message
from sessions.usage.engine.tokens import estimate_message

Weigh = Callable[[Message], int]


class StatusCount(NamedTuple):
    status: Status
    rows: int
    before: int
    """Tokens."""
    after: int


@dataclass(frozen=True, slots=True)
class Comparison:
    before: Sequence[Message]
    after: Sequence[Message]
    rows: tuple[ComparisonRow, ...]
    weight_before: tuple[int, ...]
    """Tokens of each message."""
    weight_after: tuple[int, ...]

    def weight(self, row: ComparisonRow) -> tuple[int, int]:
        before = 0 if row.before is None else self.weight_before[row.before]
        return before, 0 if row.after is None else self.weight_after[row.after]

    def counts(self, first: int = 0, end: int | None = None) -> list[StatusCount]:
        """The number of rows by status, from `first` up to before `end`."""
        return count_statuses(self, self.rows[first:end])


def count_statuses(comparison: Comparison, rows: Sequence[ComparisonRow]) -> list[StatusCount]:
    sums = {status: [0, 0, 0] for status in Status}
    for row in rows:
        before, after = comparison.weight(row)
        status_sums = sums[row.status]
        status_sums[0] += 1
        status_sums[1] += before
        status_sums[2] += after
    return [StatusCount(status, *numbers) for status, numbers in sums.items() if numbers[0]]


def compare(
    before: Sequence[Message],
    after: Sequence[Message],
    causes: Causes | None = None,
    pairs: Pairs | None = None,
    weigh: tuple[Weigh, Weigh] = (estimate_message, estimate_message),
) -> Comparison:
    """`pairs`: if they are known already from finding the causes. `weigh`: counts the tokens of a message before and
    after."""
    rows = tuple((pairs or match_messages(before, after)).rows(causes or Causes()))
    return Comparison(before, after, rows, tuple(map(weigh[0], before)), tuple(map(weigh[1], after)))
