"""Rows as linking and contexts read them: narrow, with the record itself for the few kinds that speak of others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from django.db import connection
from msgspec.structs import replace

from sessions.archive.engine.frames import BLOCK_SIZE
from sessions.archive.selectors.records import Reader, fetch_all
from sessions.linking.engine import LinkRow, positions_to_read
from sessions.transcripts.engine.entry_ids import POSITION_BITS, POSITION_MASK

COLUMNS = 'id, type, detail, uuid_key, parent_key, message_key, tool_key, flags, at, "offset", length'
AT_ONCE = 500
HELD = 16
"""Blocks of the archive, while a session is streamed."""

Place = tuple[int, int]
"""Offset and length of a record."""
Answers = dict[tuple[str, tuple[int | str, ...]], list[tuple[Any, ...]]]
"""Condition and its values -> the rows that meet it."""


class LinkRows:
    """Rows of one transcript, loaded by ranges, and the records behind them."""

    def __init__(
        self, transcript_id: int, source_id: int, reader: Reader | None = None, *, answers: Answers | None = None
    ) -> None:
        """`answers`: what is known of the database already; what is asked is added."""
        self._base = transcript_id << POSITION_BITS
        self.reader = reader or Reader(source_id)
        self.places: dict[int, Place] = {}
        self.rows: dict[int, LinkRow] = {}
        """All that were loaded, by position."""
        self._ranges: list[tuple[int, int]] = []
        self._answers = answers

    def load(self, first: int, end: int) -> list[LinkRow]:
        """The rows from `first` up to before `end`. Those of a range that was loaded are not asked for again."""
        if any(start <= first and end <= stop for start, stop in self._ranges):
            return [self.rows[position] for position in range(first, end) if position in self.rows]
        self._ranges.append((first, end))
        where = "id >= %s AND id < %s"
        return self._keep(where, [self._base | first, self._base + min(end, POSITION_MASK)])

    def load_reaching(self, uuid: int, starts: Sequence[int], *, before: int) -> list[LinkRow]:
        """The rows above `before` from the last of `starts` on that has the row with this key behind it, or from the
        first row on; none if there is no such row. One statement: a page has few."""
        end = self._base + before
        marks = ",".join(["%s"] * len(starts[-AT_ONCE:])) or "NULL"
        where = (
            f"id < %s AND id >= (SELECT COALESCE((SELECT max(id) FROM transcripts_entry WHERE id IN ({marks})"
            " AND id <= sought.id), %s) FROM (SELECT min(id) AS id FROM transcripts_entry WHERE uuid_key = %s"
            " AND id >= %s AND id < %s) AS sought WHERE sought.id IS NOT NULL)"
        )
        given = [end, *(self._base + one for one in starts[-AT_ONCE:]), self._base, uuid, self._base, end]
        return self._keep(where, given)

    def load_keys(self, column: str, keys: Collection[int], *, before: int) -> list[LinkRow]:
        """The rows above `before` with these keys. `column`: one that has an index."""
        found: list[LinkRow] = []
        wanted = list(keys)
        for at in range(0, len(wanted), AT_ONCE):
            some = wanted[at : at + AT_ONCE]
            marks = ",".join(["%s"] * len(some))
            where = f"{column} IN ({marks}) AND id >= %s AND id < %s"
            found += self._keep(where, [*some, self._base, self._base + before])
        return found

    def load_at(self, positions: Collection[int]) -> list[LinkRow]:
        if not positions:
            return []
        marks = ",".join(["%s"] * len(positions))
        return self._keep(f"id IN ({marks})", [self._base | position for position in positions])

    def load_details(self, details: Sequence[str]) -> list[LinkRow]:
        """All attachments of these types."""
        marks = ",".join(["%s"] * len(details))
        where = f"id >= %s AND id < %s AND type = 'attachment' AND detail IN ({marks})"
        return self._keep(where, [self._base, self._base + POSITION_MASK, *details])

    def load_any(
        self,
        uuids: Collection[int],
        tools: Collection[int],
        types: Sequence[str],
        detail: str,
        *,
        since: int | None,
        before: int,
    ) -> list[LinkRow]:
        """The rows above `before` that answer to any of these, or stand at or below `since`, with one query."""
        either: list[str] = []
        parameters: list[int | str] = [self._base, self._base + before]
        for column, names in (("uuid_key", uuids), ("tool_key", tools), ("type", types)):
            if names:
                either.append(f"{column} IN ({','.join(['%s'] * len(names))})")
                parameters += names
        if detail:
            either.append("(type = 'attachment' AND detail = %s)")
            parameters.append(detail)
        if since is not None:
            either.append("id >= %s")
            parameters.append(self._base + since)
        return self._keep(f"id >= %s AND id < %s AND ({' OR '.join(either)})", parameters)

    def record(self, position: int) -> dict[str, Any]:
        return self.reader.record(*self.places[position])

    def stream(self, position: int) -> dict[str, Any]:
        """The same for those who read a whole session in order: whole blocks, and only the latest are held."""
        offset, length = self.places[position]
        if not self.reader.holds(offset, length):
            fetch_all([(self.reader, offset, length)], ahead=BLOCK_SIZE)
            self.reader.release(HELD)
        return self.reader.record(offset, length)

    def addresses(self, positions: Iterable[int]) -> dict[int, str]:
        """The last part of each entry's permalink."""
        wanted = sorted(positions)
        if wanted and wanted[0] not in self.places:
            self.load(wanted[0], wanted[-1] + 1)
        found: dict[int, str] = {}
        for position in wanted:
            uuid = self.stream(position).get("uuid")
            found[position] = uuid if isinstance(uuid, str) and uuid else f"L{position}"
        return found

    def fetch(self, positions: Iterable[int]) -> None:
        """Make ready what `record` will be asked for, with one query."""
        self.reader.fetch([self.places[position] for position in positions])

    def with_records(self, rows: Sequence[LinkRow], positions: Sequence[int] | None = None) -> list[LinkRow]:
        """The same rows, those that speak of others with their record."""
        wanted = set(positions_to_read(rows) if positions is None else positions)
        self.fetch(wanted)
        return [replace(row, extra=self.record(row.position)) if row.position in wanted else row for row in rows]

    def _keep(self, where: str, parameters: Sequence[int | str]) -> list[LinkRow]:
        if self._answers is None:
            return self.keep(select(where, parameters))
        asked = where, tuple(parameters)
        if asked not in self._answers:
            self._answers[asked] = select(where, parameters)
        return self.keep(self._answers[asked])

    def keep(self, found: Iterable[tuple[Any, ...]]) -> list[LinkRow]:
        rows = []
        for pk, kind, detail, uuid, parent, message, tool, flags, at, offset, length in found:
            position = pk & POSITION_MASK
            row = LinkRow(position, kind, detail, uuid, parent, message, tool, flags, None, at)
            self.places[position] = (offset, length)
            self.rows[position] = row
            rows.append(row)
        return rows


def load_each(wanted: Mapping[int, tuple[int, int]]) -> dict[int, tuple[LinkRows, list[LinkRow]]]:
    """The first rows of several transcripts, with one query. `wanted`: transcript -> its source, and where to end."""
    if not wanted:
        return {}
    where = " OR ".join(["(id >= %s AND id < %s)"] * len(wanted))
    ends = [one << POSITION_BITS | end for one, (_, end) in wanted.items()]
    ranges = [bound for one, end in zip(wanted, ends, strict=True) for bound in (one << POSITION_BITS, end)]
    found: dict[int, list[tuple[Any, ...]]] = {one: [] for one in wanted}
    for row in select(where, ranges):
        found[row[0] >> POSITION_BITS].append(row)
    links = {one: LinkRows(one, source) for one, (source, _) in wanted.items()}
    return {one: (links[one], links[one].keep(rows)) for one, rows in found.items()}


def select(where: str, parameters: Sequence[int | str]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {COLUMNS} FROM transcripts_entry WHERE {where} ORDER BY id", list(parameters))
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows
