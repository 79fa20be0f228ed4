"""Which of several files with the same rows was written first.

A fork repeats the rows of its origin with their times, so both may begin at the same moment. But it does not repeat the
records that the client writes for itself, so in the origin the same rows are farther apart. Sub-agents repeat rows of
their session, never the other way round.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import reduce

from django.db import connection

from sessions.models import Source, Transcript
from sessions.transcripts.engine.entry_ids import POSITION_BITS

_NEVER = 1 << 62
_COMMON = (
    "SELECT one.id, other.id FROM transcripts_entry one JOIN transcripts_entry other ON one.uuid_key = other.uuid_key"
    " WHERE one.id >= %s AND one.id < %s AND other.id >= %s AND other.id < %s ORDER BY one.id {order} LIMIT 1"
)


class Owners:
    """Queries the database only about files that begin at the same moment, once for each pair."""

    def __init__(self) -> None:
        rows = Transcript.objects.exclude(source__state=Source.State.REPLACED)
        self._ages = {
            pk: (
                _NEVER if first is None else first,
                kind != Transcript.Kind.MAIN,
                _NEVER if last is None else last,
                path,
            )
            for pk, first, kind, last, path in rows.values_list("pk", "first_at", "kind", "last_at", "source__path")
        }
        self._older_by_pair: dict[tuple[int, int], int] = {}

    def find_owner(self, files: Collection[int]) -> int:
        return reduce(self._older, sorted(files))

    def _older(self, first: int, second: int) -> int:
        pair = (first, second)
        if pair not in self._older_by_pair:
            self._older_by_pair[pair] = min(pair, key=lambda file: self._age(file, pair))
        return self._older_by_pair[pair]

    def _age(self, file: int, pair: tuple[int, int]) -> tuple[int, bool, int, int, str]:
        first, agent, last, path = self._ages.get(file, (_NEVER + 1, True, 0, ""))
        tied = len({self._ages[candidate][:2] for candidate in pair if candidate in self._ages}) == 1
        return first, agent, -self._span(file, pair) if tied else 0, last, path

    def _span(self, file: int, pair: tuple[int, int]) -> int:
        """How far apart the first and the last row that both contain are in this file."""
        other = pair[0] if file == pair[1] else pair[1]
        ranges = [bound << POSITION_BITS for bound_of in (file, other) for bound in (bound_of, bound_of + 1)]
        ends = []
        with connection.cursor() as cursor:
            for order in ("ASC", "DESC"):
                cursor.execute(_COMMON.format(order=order), ranges)
                row = cursor.fetchone()
                ends.append(0 if row is None else int(row[0]))
        return ends[1] - ends[0]
