"""Loads what a hit shows: its session, role, time and text. A page of hits takes one query, and reads unchanged files
directly, which need no decompression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from sessions.archive.selectors.records import Reader, fetch_all, parse_record
from sessions.imports.engine.scan.content import content_of
from sessions.models import Transcript
from sessions.models.transcript import project_name, transcript_name
from sessions.search.engine.snippets import Pieces, Query, make_snippet
from sessions.search.selectors.file_search import ArchivedFile, read_unchanged
from sessions.transcripts.engine.entry_ids import POSITION_BITS, POSITION_MASK
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.rows import Record

_ROWS = f"""
    SELECT e.id, e."offset", e.length, e.type, e.at, e.flags,
           t.public_id, t.agent_id, o.public_id, o.title, o.first_prompt, p.directory, p.cwd,
           s.id, s.path, CASE WHEN s.owed THEN s.size ELSE s.archived END, s.mtime_ns
    FROM transcripts_entry e
    JOIN transcripts_transcript t ON t.id = e.id >> {POSITION_BITS}
    JOIN transcripts_transcript o ON o.id = coalesce(t.parent_id, t.id)
    JOIN transcripts_project p ON p.id = t.project_id
    JOIN transcripts_source s ON s.id = t.source_id
    WHERE e.id IN
"""


@dataclass(frozen=True, slots=True)
class Hit:
    transcript: str
    """The transcript that has it: the session, or a sub-agent."""
    session: str
    agent: str
    title: str
    project: str
    address: str
    position: int
    at: int | None
    role: str
    snippet: Pieces
    """Pieces of text, and whether each is a match."""
    damage: str = ""
    """Why its text cannot be shown."""


@dataclass(frozen=True, slots=True)
class HitTranscript:
    """The values that all hits in a transcript share."""

    transcript: str
    session: str
    agent: str
    title: str
    project: str

    @classmethod
    def of(cls, transcript: Transcript) -> HitTranscript:
        session = transcript.parent or transcript
        name = transcript.project.name
        return cls(transcript.public_id, session.public_id, transcript.agent_id, session.name, name)


@dataclass(frozen=True, slots=True)
class HitRow:
    """The values that come from the row of the entry."""

    id: int
    offset: int
    length: int
    type: str
    at: int | None
    flags: int

    @property
    def position(self) -> int:
        return self.id & POSITION_MASK


def make_hit(row: HitRow, hit_transcript: HitTranscript, record: Record, pieces: Pieces, damage: str = "") -> Hit:
    uuid = record.get("uuid")
    return Hit(
        transcript=hit_transcript.transcript,
        session=hit_transcript.session,
        agent=hit_transcript.agent,
        title=hit_transcript.title,
        project=hit_transcript.project,
        address=uuid if isinstance(uuid, str) and uuid else f"L{row.position}",
        position=row.position,
        at=row.at,
        role=entry_role(row.type, row.flags),
        snippet=pieces,
        damage=damage,
    )


def load_hits(ids: Sequence[int], query: Query) -> list[Hit]:
    """In this order. Entries that no longer exist are left out."""
    if not ids:
        return []
    with connection.cursor() as cursor:
        cursor.execute(f"{_ROWS} ({','.join(['%s'] * len(ids))})", ids)
        rows = cursor.fetchall()
    rows_and_files = {
        row.id: (row, source_file) for row, source_file in ((HitRow(*row[:6]), ArchivedFile(*row[13:])) for row in rows)
    }
    transcript_fields = {row[0]: row[6:13] for row in rows}
    transcripts = {names: _make_transcript(*names) for names in set(transcript_fields.values())}
    records = _load_records(list(rows_and_files.values()))
    hits = []
    for pk, (row, _) in ((pk, rows_and_files[pk]) for pk in ids if pk in rows_and_files):
        record, damage = records[pk]
        pieces: Pieces = () if damage else make_snippet(content_of(row.type, record)[3], query)
        hits.append(make_hit(row, transcripts[transcript_fields[pk]], record, pieces, damage))
    return hits


def _make_transcript(
    transcript: str, agent: str, session: str, title: str, first_prompt: str, directory: str, cwd: str
) -> HitTranscript:
    return HitTranscript(transcript, session, agent, transcript_name(title, first_prompt), project_name(cwd, directory))


def _load_records(rows: Sequence[tuple[HitRow, ArchivedFile]]) -> dict[int, tuple[Record, str]]:
    """By entry id: the record, and why it cannot be read."""
    by_file: dict[ArchivedFile, list[HitRow]] = {}
    for row, source_file in rows:
        by_file.setdefault(source_file, []).append(row)
    records: dict[int, tuple[Record, str]] = {}
    archived: list[tuple[Reader, HitRow]] = []
    for source_file, file_rows in by_file.items():
        contents = read_unchanged(source_file, [(row.offset, row.length) for row in file_rows])
        if contents is None:
            reader = Reader(source_file.source_id)
            archived += [(reader, row) for row in file_rows]
        else:
            records |= {row.id: (parse_record(data), "") for row, data in zip(file_rows, contents, strict=True)}
    fetch_all(((reader, row.offset, row.length) for reader, row in archived), ahead=0)
    return records | {row.id: reader.try_record(row.offset, row.length) for reader, row in archived}


def entry_role(kind: str, flags: int) -> str:
    """Whose words these are: a person's, the model's, a tool's, or the client's."""
    if flags & (Flag.CALL | Flag.RESULT):
        return "tool"
    if flags & Flag.TYPED:
        return "user"
    if kind in ("user", "assistant", "system"):
        return "summary" if flags & Flag.SUMMARY else kind
    return "title" if kind in ("ai-title", "custom-title", "summary") else kind
