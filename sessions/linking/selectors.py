"""Rows as linking and contexts read them: narrow, with the record itself for the few kinds that refer to others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from django.db import connection
from msgspec.structs import replace

from sessions.archive.engine.frames import BLOCK_SIZE
from sessions.archive.selectors.records import Reader, fetch_all
from sessions.linking.engine import LinkRow, link_row, positions_to_read
from sessions.transcripts.engine.entry_ids import POSITION_BITS, POSITION_MASK
from sessions.transcripts.engine.rows import ENTRY_COLUMNS, EntryRow

CHUNK = 500
STREAMED_BLOCKS = 16
"""Blocks of the archive, while a session is streamed."""

Location = tuple[int, int]
"""Offset and length of a record."""
Answers = dict[tuple[str, tuple[int | str, ...]], list[EntryRow]]
"""Condition and its values -> the rows that meet it."""


class LinkRows:
    """Rows of one transcript, loaded by ranges, and their records."""

    def __init__(
        self, transcript_id: int, source_id: int, reader: Reader | None = None, *, answers: Answers | None = None
    ) -> None:
        """`answers` holds rows that are known already; new ones are added to it."""
        self._base = transcript_id << POSITION_BITS
        self.reader = reader or Reader(source_id)
        self.locations: dict[int, Location] = {}
        self.rows: dict[int, LinkRow] = {}
        """All rows loaded so far, by position."""
        self._ranges: list[tuple[int, int]] = []
        self._answers = answers

    def load(self, first: int, end: int) -> list[LinkRow]:
        """The rows from `first` up to before `end`. A range that was loaded is not loaded again."""
        if any(start <= first and end <= stop for start, stop in self._ranges):
            return [self.rows[position] for position in range(first, end) if position in self.rows]
        self._ranges.append((first, end))
        where = "id >= %s AND id < %s"
        return self._load(where, [self._base | first, self._base + min(end, POSITION_MASK)])

    def load_reaching(self, uuid: int, starts: Sequence[int], *, before: int) -> list[LinkRow]:
        """The rows above `before`, from the last of `starts` that the row with this key follows, or else from the first
        row; none if there is no such row. This is one statement, because a page should need few."""
        end = self._base + before
        marks = ",".join(["%s"] * len(starts[-CHUNK:])) or "NULL"
        where = (
            f"id < %s AND id >= (SELECT COALESCE((SELECT max(id) FROM transcripts_entry WHERE id IN ({marks})"
            " AND id <= sought.id), %s) FROM (SELECT min(id) AS id FROM transcripts_entry WHERE uuid_key = %s"
            " AND id >= %s AND id < %s) AS sought WHERE sought.id IS NOT NULL)"
        )
        parameters = [end, *(self._base + start for start in starts[-CHUNK:]), self._base, uuid, self._base, end]
        return self._load(where, parameters)

    def load_keys(self, column: str, keys: Collection[int], *, before: int) -> list[LinkRow]:
        """The rows above `before` with these keys. `column`: one that has an index."""
        rows: list[LinkRow] = []
        all_keys = list(keys)
        for start in range(0, len(all_keys), CHUNK):
            chunk = all_keys[start : start + CHUNK]
            marks = ",".join(["%s"] * len(chunk))
            where = f"{column} IN ({marks}) AND id >= %s AND id < %s"
            rows += self._load(where, [*chunk, self._base, self._base + before])
        return rows

    def load_at(self, positions: Collection[int]) -> list[LinkRow]:
        if not positions:
            return []
        marks = ",".join(["%s"] * len(positions))
        return self._load(f"id IN ({marks})", [self._base | position for position in positions])

    def load_details(self, details: Sequence[str]) -> list[LinkRow]:
        """All attachments of these types."""
        marks = ",".join(["%s"] * len(details))
        where = f"id >= %s AND id < %s AND type = 'attachment' AND detail IN ({marks})"
        return self._load(where, [self._base, self._base + POSITION_MASK, *details])

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
        """The rows above `before` that meet any of these conditions, or are at or below `since`, with one query."""
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
        return self._load(f"id >= %s AND id < %s AND ({' OR '.join(either)})", parameters)

    def record(self, position: int) -> dict[str, Any]:
        return self.reader.record(*self.locations[position])

    def stream(self, position: int) -> dict[str, Any]:
        """The same for callers that read a whole session in order: reads whole blocks, and keeps only the latest."""
        offset, length = self.locations[position]
        if not self.reader.is_loaded(offset, length):
            fetch_all([(self.reader, offset, length)], ahead=BLOCK_SIZE)
            self.reader.release(STREAMED_BLOCKS)
        return self.reader.record(offset, length)

    def addresses(self, positions: Iterable[int]) -> dict[int, str]:
        """The last part of each entry's permalink."""
        ordered = sorted(positions)
        if ordered and ordered[0] not in self.locations:
            self.load(ordered[0], ordered[-1] + 1)
        addresses: dict[int, str] = {}
        for position in ordered:
            uuid = self.stream(position).get("uuid")
            addresses[position] = uuid if isinstance(uuid, str) and uuid else f"L{position}"
        return addresses

    def fetch(self, positions: Iterable[int]) -> None:
        """Loads these records with one query, for later calls of `record`."""
        self.reader.fetch([self.locations[position] for position in positions])

    def with_records(self, rows: Sequence[LinkRow], positions: Sequence[int] | None = None) -> list[LinkRow]:
        """The same rows, with records for those that refer to others."""
        with_record = set(positions_to_read(rows) if positions is None else positions)
        self.fetch(with_record)
        return [replace(row, extra=self.record(row.position)) if row.position in with_record else row for row in rows]

    def _load(self, where: str, parameters: Sequence[int | str]) -> list[LinkRow]:
        if self._answers is None:
            return self.add_rows(select(where, parameters))
        query = where, tuple(parameters)
        if query not in self._answers:
            self._answers[query] = select(where, parameters)
        return self.add_rows(self._answers[query])

    def add_rows(self, entries: Iterable[EntryRow]) -> list[LinkRow]:
        rows = []
        for entry in entries:
            row = link_row(entry)
            self.locations[row.position] = (entry.offset, entry.length)
            self.rows[row.position] = row
            rows.append(row)
        return rows


def load_each(ends_by_transcript: Mapping[int, tuple[int, int]]) -> dict[int, tuple[LinkRows, list[LinkRow]]]:
    """The first rows of several transcripts, with one query. Takes transcript -> its source, and where to end."""
    if not ends_by_transcript:
        return {}
    where = " OR ".join(["(id >= %s AND id < %s)"] * len(ends_by_transcript))
    ends = [transcript_id << POSITION_BITS | end for transcript_id, (_, end) in ends_by_transcript.items()]
    ranges = [
        bound
        for transcript_id, end in zip(ends_by_transcript, ends, strict=True)
        for bound in (transcript_id << POSITION_BITS, end)
    ]
    rows_by_transcript: dict[int, list[EntryRow]] = {transcript_id: [] for transcript_id in ends_by_transcript}
    for row in select(where, ranges):
        rows_by_transcript[row.transcript_id].append(row)
    links = {
        transcript_id: LinkRows(transcript_id, source) for transcript_id, (source, _) in ends_by_transcript.items()
    }
    return {
        transcript_id: (links[transcript_id], links[transcript_id].add_rows(rows))
        for transcript_id, rows in rows_by_transcript.items()
    }


def select(where: str, parameters: Sequence[int | str]) -> list[EntryRow]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {ENTRY_COLUMNS} FROM transcripts_entry WHERE {where} ORDER BY id", list(parameters))
        return list(map(EntryRow._make, cursor.fetchall()))
