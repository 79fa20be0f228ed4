"""Searches the text index, newest first. Exact by time, and quick for words that stand in half of all entries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from sessions.engine.flags import Flag
from sessions.engine.scan.content import content_of
from sessions.engine.snippets import Query, snippet
from sessions.models import POSITION_BITS, Entry, Source, Transcript
from sessions.selectors.archive import Reader

FEW = 1_000
"""Up to so many matches are sorted by time as a whole; beyond it, sessions are visited from the latest back."""
DEEPEST = 5_000
_SPAN = 1 << POSITION_BITS
_MASK = _SPAN - 1


@dataclass(frozen=True, slots=True)
class Hit:
    session: str
    title: str
    project: str
    address: str
    position: int
    at: int | None
    role: str
    snippet: tuple[tuple[str, bool], ...]
    """Pieces of text, and whether each matched."""


@dataclass(frozen=True, slots=True)
class SearchPage:
    hits: tuple[Hit, ...]
    count: int | None
    """All matches, or None when there are more than were counted."""
    next: str | None
    """What `before` takes for the page of older ones."""

    @property
    def more(self) -> bool:
        return self.next is not None


@dataclass(frozen=True, slots=True)
class _Match:
    entry_id: int
    at: int


def search(
    text: str, *, project: int | None = None, session: int | None = None, limit: int = 20, before: str | None = None
) -> SearchPage:
    """The newest entries that hold every word of `text`; quoted words must stand together, `word*` is a beginning."""
    query = Query.of(text)
    if not query.terms:
        return SearchPage((), 0, None)
    skip = min(int(before), DEEPEST) if before and before.isdecimal() else 0
    wanted = limit + skip + 1
    transcripts = _scope(project, session)
    count, matches = _few(query, set(transcripts))
    if matches is None:
        matches = _latest(query, transcripts, wanted)
    chosen = matches[skip : skip + limit]
    more = len(matches) > skip + limit
    return SearchPage(tuple(_hits(chosen, query)), count, str(skip + limit) if more else None)


def _scope(project: int | None, session: int | None) -> dict[int, int]:
    """Transcripts to look at, with the time of their latest record, latest first."""
    rows = Transcript.objects.exclude(source__state=Source.State.REPLACED)
    if project is not None:
        rows = rows.filter(project=project)
    if session is not None:
        rows = rows.filter(pk=session)
    latest = [(last_at or 0, pk) for pk, last_at in rows.values_list("pk", "last_at")]
    return {pk: last_at for last_at, pk in sorted(latest, reverse=True)}


def _match_sql(query: Query) -> tuple[str, str]:
    if connection.vendor == "sqlite":
        return "SELECT rowid FROM transcripts_text WHERE transcripts_text MATCH %s", query.fts5()
    return "SELECT entry_id FROM transcripts_text WHERE body @@ to_tsquery('simple', %s)", query.tsquery()


def _few(query: Query, scope: set[int]) -> tuple[int | None, list[_Match] | None]:
    sql, words = _match_sql(query)
    with connection.cursor() as cursor:
        cursor.execute(f"{sql} LIMIT {FEW + 1}", [words])
        ids = [row[0] for row in cursor.fetchall()]
    if len(ids) > FEW:
        return None, None
    ids = [entry_id for entry_id in ids if entry_id >> POSITION_BITS in scope]
    times = dict(Entry.objects.filter(pk__in=ids).values_list("pk", "at"))
    matches = [_Match(entry_id, times.get(entry_id) or 0) for entry_id in ids]
    return len(matches), sorted(matches, key=lambda match: (-match.at, -match.entry_id))


def _latest(query: Query, transcripts: dict[int, int], wanted: int) -> list[_Match]:
    """Each session's newest matches, until no session left can hold a newer one than those found."""
    sql, words = _match_sql(query)
    key = "rowid" if connection.vendor == "sqlite" else "entry_id"
    found: list[_Match] = []
    with connection.cursor() as cursor:
        for pk, last_at in transcripts.items():
            if len(found) >= wanted and found[wanted - 1].at >= last_at:
                break
            start = pk << POSITION_BITS
            cursor.execute(
                f"{sql} AND {key} >= %s AND {key} < %s ORDER BY {key} DESC LIMIT %s",
                [words, start, start + _SPAN, wanted],
            )
            ids = [row[0] for row in cursor.fetchall()]
            if ids:
                times = Entry.objects.filter(pk__in=ids).values_list("pk", "at")
                found += [_Match(entry_id, at or 0) for entry_id, at in times]
                found.sort(key=lambda match: (-match.at, -match.entry_id))
    return found


def _hits(matches: Sequence[_Match], query: Query) -> list[Hit]:
    ids = [match.entry_id for match in matches]
    entries = {entry.pk: entry for entry in Entry.objects.filter(pk__in=ids)}
    transcripts = {
        one.pk: one
        for one in Transcript.objects.filter(pk__in={pk >> POSITION_BITS for pk in ids})
        .select_related("project", "parent")
        .defer("state", "ruler")
    }
    readers = {pk: Reader(one.source_id) for pk, one in transcripts.items()}
    for pk, reader in readers.items():
        reader.fetch([(e.offset, e.length) for e in entries.values() if e.transcript_id == pk])
    return [
        _hit(entries[pk], transcripts[pk >> POSITION_BITS], readers[pk >> POSITION_BITS], query)
        for pk in ids
        if pk in entries
    ]


def _hit(entry: Entry, transcript: Transcript, reader: Reader, query: Query) -> Hit:
    record = reader.record(entry.offset, entry.length)
    uuid = record.get("uuid")
    return Hit(
        session=transcript.public_id,
        title=transcript.title or transcript.first_prompt,
        project=transcript.project.name,
        address=uuid if isinstance(uuid, str) and uuid else f"L{entry.position}",
        position=entry.position,
        at=entry.at,
        role=role_of(entry),
        snippet=snippet(content_of(entry.type, record)[3], query),
    )


def role_of(entry: Entry) -> str:
    """Whose words: a person's, the model's, a tool's, or the client's."""
    flags = Flag(entry.flags)
    if Flag.CALL in flags or Flag.RESULT in flags:
        return "tool"
    if Flag.TYPED in flags:
        return "user"
    if entry.type in ("user", "assistant", "system"):
        return "summary" if Flag.SUMMARY in flags else entry.type
    return "title" if entry.type in ("ai-title", "custom-title", "summary") else entry.type
