"""A session with all of its sub-agents: rows of any of their files with one query, and the records behind them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from django.db import connection

from sessions.archive.engine.frames import block_numbers
from sessions.archive.selectors.records import Reader, fetch_all
from sessions.models import Entry, Source, Transcript
from sessions.transcripts.engine.entry_ids import POSITION_BITS, POSITION_MASK
from sessions.transcripts.engine.rows import Record

MOST = 4_000
"""Rows of one question; further ones are left out."""
CHUNK = 500
BLOCKS_AT_ONCE = 64
"""Blocks of the archive that are decompressed at a time."""
_NAMES = ("id", "type", "detail", "flags", "at", "tool_key", "uuid_key", "parent_key", "offset", "length")
COLUMNS = 'e.id, e.type, e.detail, e.flags, e.at, e.tool_key, e.uuid_key, e.parent_key, e."offset", e.length'


class FamilyRow(NamedTuple):
    """One row, of whichever file."""

    id: int
    type: str
    detail: str
    flags: int
    at: int | None
    tool: int | None
    uuid: int | None
    parent: int | None
    offset: int
    length: int

    @property
    def transcript(self) -> int:
        return self.id >> POSITION_BITS

    @property
    def position(self) -> int:
        return self.id & POSITION_MASK


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
        """What could not be read of whose file, as a sentence."""

    def agent_of(self, row: FamilyRow) -> str:
        """The agent in whose file it stands; empty for the session's."""
        return self.keys.get(row.transcript, "")

    def find(self, where: str, parameters: Sequence[int | str], most: int = MOST) -> list[FamilyRow]:
        """Rows of all files, in file order. `where` speaks of the row as `e`."""
        sql = (
            f"SELECT {COLUMNS} FROM transcripts_transcript t CROSS JOIN transcripts_entry e"
            f" WHERE (t.id = %s OR t.parent_id = %s) AND e.id >= (t.id << {POSITION_BITS})"
            f" AND e.id < ((t.id + 1) << {POSITION_BITS}) AND ({where}) ORDER BY e.id LIMIT {most}"
        )
        with connection.cursor() as cursor:
            cursor.execute(sql, [self.session.pk, self.session.pk, *parameters])
            rows = [FamilyRow(*row) for row in cursor.fetchall()]
        return [row for row in rows if row.transcript in self.transcripts]

    def find_results(self, calls: Iterable[FamilyRow]) -> list[FamilyRow]:
        """The rows with the results of these calls."""
        keys = sorted({call.tool for call in calls if call.tool is not None})
        results: list[FamilyRow] = []
        for start in range(0, len(keys), CHUNK):
            rows = Entry.objects.filter(tool_key__in=keys[start : start + CHUNK], type="user")
            results += (FamilyRow(*row) for row in rows.values_list(*_NAMES)[:MOST])
        return sorted(row for row in results if row.transcript in self.transcripts)

    def last_rows(self, transcripts: Sequence[Transcript], count: int) -> list[FamilyRow]:
        """The last rows of these files."""
        return self.rows_at(
            transcript.pk << POSITION_BITS | position
            for transcript in transcripts
            for position in range(max(0, transcript.entries - count), transcript.entries)
        )

    def rows_at(self, row_ids: Iterable[int]) -> list[FamilyRow]:
        ids = sorted(row_ids)
        stored: list[FamilyRow] = []
        for start in range(0, len(ids), CHUNK):
            rows = Entry.objects.filter(pk__in=ids[start : start + CHUNK])
            stored += (FamilyRow(*row) for row in rows.values_list(*_NAMES))
        return sorted(stored)

    def read_records(self, rows: Iterable[FamilyRow]) -> Iterator[tuple[FamilyRow, Record]]:
        """The records of rows, some blocks of the archive at a time. A damaged one is empty, and noted in `damage`."""
        waiting: list[FamilyRow] = []
        blocks: set[tuple[int, int]] = set()
        for row in sorted(rows):
            blocks.update((row.transcript, number) for number in block_numbers(row.offset, row.length))
            waiting.append(row)
            if len(blocks) >= BLOCKS_AT_ONCE:
                yield from self._decode(waiting)
                waiting, blocks = [], set()
        yield from self._decode(waiting)

    def _decode(self, rows: list[FamilyRow]) -> Iterator[tuple[FamilyRow, Record]]:
        readers = {row.transcript: Reader(self.transcripts[row.transcript].source_id) for row in rows}
        fetch_all((readers[row.transcript], row.offset, row.length) for row in rows)
        for row in rows:
            record, damage = readers[row.transcript].try_record(row.offset, row.length)
            if damage:
                self.damage[damage] = self.transcripts[row.transcript]
            yield row, record
