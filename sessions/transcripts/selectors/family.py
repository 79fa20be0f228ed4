"""A session with all of its sub-agents: rows of all their files with one query, and their records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from django.db import connection

from sessions.archive.engine.frames import block_numbers
from sessions.archive.selectors.records import Reader, fetch_all
from sessions.models import Entry, Source, Transcript
from sessions.transcripts.engine.entry_ids import POSITION_BITS
from sessions.transcripts.engine.rows import EntryRow, Record

MOST = 4_000
"""Rows of one query; further ones are left out."""
CHUNK = 500
BLOCKS_AT_ONCE = 64
"""Blocks of the archive that are decompressed at a time."""
COLUMNS = ", ".join(f'e."{name}"' for name in EntryRow._fields)


class Family:
    def __init__(self, session: Transcript) -> None:
        self.session = session
        agents = Transcript.objects.filter(parent=session).exclude(source__state=Source.State.REPLACED)
        agents = agents.select_related("source").defer("state", "ruler")
        self.agents = list(agents.order_by("first_at", "pk"))
        self.transcripts = {agent.pk: agent for agent in (session, *self.agents)}
        self.by_agent: dict[str, Transcript] = {}
        for agent in self.agents:
            # Journals have no id, and two files may claim the same.
            is_ambiguous = not agent.agent_id or agent.agent_id in self.by_agent
            self.by_agent[f"{agent.agent_id}~{agent.pk}" if is_ambiguous else agent.agent_id] = agent
        self.keys = {agent.pk: key for key, agent in self.by_agent.items()}
        self.damage: dict[str, Transcript] = {}
        """A sentence about each record that could not be read -> whose file it is in."""

    def agent_of(self, row: EntryRow) -> str:
        """The agent whose file contains the row; empty for the session's."""
        return self.keys.get(row.transcript_id, "")

    def find(self, where: str, parameters: Sequence[int | str], most: int = MOST) -> list[EntryRow]:
        """Rows of all files, in file order. `where` calls the row `e`."""
        sql = (
            f"SELECT {COLUMNS} FROM transcripts_transcript t CROSS JOIN transcripts_entry e"
            f" WHERE (t.id = %s OR t.parent_id = %s) AND e.id >= (t.id << {POSITION_BITS})"
            f" AND e.id < ((t.id + 1) << {POSITION_BITS}) AND ({where}) ORDER BY e.id LIMIT {most}"
        )
        with connection.cursor() as cursor:
            cursor.execute(sql, [self.session.pk, self.session.pk, *parameters])
            rows = [EntryRow(*row) for row in cursor.fetchall()]
        return [row for row in rows if row.transcript_id in self.transcripts]

    def find_results(self, calls: Iterable[EntryRow]) -> list[EntryRow]:
        """The rows with the results of these calls."""
        keys = sorted({call.tool_key for call in calls if call.tool_key is not None})
        results: list[EntryRow] = []
        for start in range(0, len(keys), CHUNK):
            rows = Entry.objects.filter(tool_key__in=keys[start : start + CHUNK], type="user")
            results += (EntryRow(*row) for row in rows.values_list(*EntryRow._fields)[:MOST])
        return sorted(row for row in results if row.transcript_id in self.transcripts)

    def last_rows(self, transcripts: Sequence[Transcript], count: int) -> list[EntryRow]:
        """The last rows of these files."""
        return self.rows_at(
            transcript.pk << POSITION_BITS | position
            for transcript in transcripts
            for position in range(max(0, transcript.entries - count), transcript.entries)
        )

    def rows_at(self, row_ids: Iterable[int]) -> list[EntryRow]:
        ids = sorted(row_ids)
        stored: list[EntryRow] = []
        for start in range(0, len(ids), CHUNK):
            rows = Entry.objects.filter(pk__in=ids[start : start + CHUNK])
            stored += (EntryRow(*row) for row in rows.values_list(*EntryRow._fields))
        return sorted(stored)

    def read_records(self, rows: Iterable[EntryRow]) -> Iterator[tuple[EntryRow, Record]]:
        """The records of these rows, read a few blocks of the archive at a time. A damaged one is empty, and noted in
        `damage`."""
        waiting: list[EntryRow] = []
        blocks: set[tuple[int, int]] = set()
        for row in sorted(rows):
            blocks.update((row.transcript_id, number) for number in block_numbers(row.offset, row.length))
            waiting.append(row)
            if len(blocks) >= BLOCKS_AT_ONCE:
                yield from self._decode(waiting)
                waiting, blocks = [], set()
        yield from self._decode(waiting)

    def _decode(self, rows: list[EntryRow]) -> Iterator[tuple[EntryRow, Record]]:
        readers = {row.transcript_id: Reader(self.transcripts[row.transcript_id].source_id) for row in rows}
        fetch_all((readers[row.transcript_id], row.offset, row.length) for row in rows)
        for row in rows:
            record, damage = readers[row.transcript_id].try_record(row.offset, row.length)
            if damage:
                self.damage[damage] = self.transcripts[row.transcript_id]
            yield row, record
