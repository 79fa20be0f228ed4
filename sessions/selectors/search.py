"""Searches the text index, newest first. Exact by time, and quick for words that stand in half of all entries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db import connection
from django.db.models import QuerySet

from sessions.engine.flags import Flag
from sessions.engine.place import POSITION_BITS
from sessions.engine.rows import Record
from sessions.engine.scan.content import content_of
from sessions.engine.snippets import Pieces, Query, snippet
from sessions.models import Entry, Source, Transcript
from sessions.selectors.archive import AT_ONCE, Reader, fetch_all

FEW = 1_000
"""Up to so many matches are sorted by time as a whole; beyond it, sessions are visited from the latest back."""
DEEPEST = 5_000
SHOWN = ("public_id", "agent_id", "title", "first_prompt")
"""Of a transcript, in a hit."""


@dataclass(frozen=True, slots=True)
class Hit:
    transcript: str
    """The timeline that it stands in: the session's, or a sub-agent's."""
    session: str
    agent: str
    title: str
    project: str
    address: str
    position: int
    at: int | None
    role: str
    snippet: Pieces
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
    scope = Transcript.objects.exclude(source__state=Source.State.REPLACED)
    if project is not None:
        scope = scope.filter(project=project)
    if session is not None:
        scope = scope.filter(pk=session)
    count, matches = _few(query, scope)
    if matches is None:
        matches = _latest(query, scope, wanted)
    chosen = matches[skip : skip + limit]
    more = len(matches) > skip + limit
    return SearchPage(tuple(_hits(chosen, query)), count, str(skip + limit) if more else None)


def _match_sql(query: Query) -> tuple[str, list[str]]:
    if connection.vendor == "sqlite":
        return "SELECT rowid FROM transcripts_text WHERE transcripts_text MATCH %s", [query.fts5()]
    words = query.tsqueries()
    others = "".join(
        " AND EXISTS (SELECT 1 FROM transcripts_text other"
        " WHERE other.entry_id = transcripts_text.entry_id AND other.body @@ %s::tsquery)"
        for _ in words[1:]
    )
    return f"SELECT DISTINCT entry_id FROM transcripts_text WHERE body @@ %s::tsquery{others}", words


def _few(query: Query, scope: QuerySet[Transcript]) -> tuple[int | None, list[_Match] | None]:
    sql, words = _match_sql(query)
    with connection.cursor() as cursor:
        cursor.execute(f"{sql} LIMIT {FEW + 1}", words)
        ids = [row[0] for row in cursor.fetchall()]
    if len(ids) > FEW:
        return None, None
    within = set(scope.filter(pk__in={one >> POSITION_BITS for one in ids}).values_list("pk", flat=True))
    ids = [one for one in ids if one >> POSITION_BITS in within]
    matches = _timed(ids)
    return len(matches), sorted(matches, key=_newest_first)


def _timed(ids: Sequence[int]) -> list[_Match]:
    found: list[_Match] = []
    with connection.cursor() as cursor:
        for start in range(0, len(ids), AT_ONCE):
            some = ids[start : start + AT_ONCE]
            marks = ",".join(["%s"] * len(some))
            cursor.execute(f"SELECT id, at FROM transcripts_entry WHERE id IN ({marks})", some)
            found += [_Match(pk, at or 0) for pk, at in cursor.fetchall()]
    return found


def _newest_first(match: _Match) -> tuple[int, int]:
    return -match.at, -match.entry_id


def _latest(query: Query, scope: QuerySet[Transcript], wanted: int) -> list[_Match]:
    """Each session's newest matches, until no session left can hold a newer one than those found."""
    sql, words = _match_sql(query)
    key = "rowid" if connection.vendor == "sqlite" else "entry_id"
    found: list[_Match] = []
    untimed: list[int] = []
    with connection.cursor() as cursor:
        for pk, last_at in _newest_sessions(scope):
            if len(found) + len(untimed) >= wanted:
                found, untimed = sorted([*found, *_timed(untimed)], key=_newest_first), []
                if found[wanted - 1].at >= last_at:
                    break
            cursor.execute(
                f"{sql} AND {key} >= %s AND {key} < %s ORDER BY {key} DESC LIMIT %s",
                [*words, pk << POSITION_BITS, pk + 1 << POSITION_BITS, wanted],
            )
            untimed += [row[0] for row in cursor.fetchall()]
    return sorted([*found, *_timed(untimed)], key=_newest_first)


def _newest_sessions(scope: QuerySet[Transcript]) -> Iterator[tuple[int, int]]:
    """The latest few answer most searches: the others are not even listed. Those without a time come last."""
    rows = scope.filter(last_at__isnull=False).order_by("-last_at", "-pk").values_list("pk", "last_at")
    at, size = 0, 8
    while page := list(rows[at : at + size]):
        yield from ((pk, last_at or 0) for pk, last_at in page)
        at, size = at + size, min(256, 4 * size)
    for pk in scope.filter(last_at__isnull=True).order_by("-pk").values_list("pk", flat=True):
        yield pk, 0


def _hits(matches: Sequence[_Match], query: Query) -> list[Hit]:
    ids = [match.entry_id for match in matches]
    entries = Entry.objects.in_bulk(ids)
    transcripts = (
        Transcript.objects.filter(pk__in={pk >> POSITION_BITS for pk in ids})
        .select_related("project", "parent")
        .only(*SHOWN, "source_id", "project__directory", "project__cwd", *(f"parent__{name}" for name in SHOWN))
        .in_bulk()
    )
    readers = {pk: Reader(one.source_id) for pk, one in transcripts.items()}
    wanted = ((readers[entry.transcript_id], entry.offset, entry.length) for entry in entries.values())
    fetch_all(wanted, ahead=0)
    return [
        _hit(entries[pk], transcripts[pk >> POSITION_BITS], readers[pk >> POSITION_BITS], query)
        for pk in ids
        if pk in entries
    ]


def _hit(entry: Entry, transcript: Transcript, reader: Reader, query: Query) -> Hit:
    record = reader.record(entry.offset, entry.length)
    return hit_of(entry, transcript, record, snippet(content_of(entry.type, record)[3], query))


def hit_of(entry: Entry, transcript: Transcript, record: Record, pieces: Pieces) -> Hit:
    uuid = record.get("uuid")
    session = transcript.parent or transcript
    return Hit(
        transcript=transcript.public_id,
        session=session.public_id,
        agent=transcript.agent_id,
        title=session.name,
        project=transcript.project.name,
        address=uuid if isinstance(uuid, str) and uuid else f"L{entry.position}",
        position=entry.position,
        at=entry.at,
        role=role_of(entry),
        snippet=pieces,
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
