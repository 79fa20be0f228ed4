"""Two contexts, message by message, with what each row weighs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from compaction.compare.engine.align import Pairs, Row, matched
from compaction.compare.engine.causes import Causes
from compaction.compare.engine.status import Status
from sessions.transcripts.engine.messages import Message
from sessions.usage.engine.tokens import estimate_message


class Count(NamedTuple):
    status: Status
    rows: int
    before: int
    """Tokens, by our estimate."""
    after: int


@dataclass(frozen=True, slots=True)
class Comparison:
    before: Sequence[Message]
    after: Sequence[Message]
    rows: tuple[Row, ...]
    weight_before: tuple[int, ...]
    """Tokens of each message, by our estimate."""
    weight_after: tuple[int, ...]

    def weight(self, row: Row) -> tuple[int, int]:
        before = 0 if row.before is None else self.weight_before[row.before]
        return before, 0 if row.after is None else self.weight_after[row.after]

    def counts(self, first: int = 0, end: int | None = None) -> list[Count]:
        """Of the rows from `first` up to before `end`, by status."""
        return counts_of(self, self.rows[first:end])


def counts_of(found: Comparison, rows: Sequence[Row]) -> list[Count]:
    sums = {status: [0, 0, 0] for status in Status}
    for row in rows:
        before, after = found.weight(row)
        known = sums[row.status]
        known[0] += 1
        known[1] += before
        known[2] += after
    return [Count(status, *known) for status, known in sums.items() if known[0]]


def compared(
    before: Sequence[Message], after: Sequence[Message], causes: Causes | None = None, pairs: Pairs | None = None
) -> Comparison:
    """`pairs`: if they are known already, because the causes were looked for by them."""
    rows = tuple((pairs or matched(before, after)).rows(causes or Causes()))
    return Comparison(before, after, rows, tuple(map(estimate_message, before)), tuple(map(estimate_message, after)))
