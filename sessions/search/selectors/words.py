"""Searches the text index, newest first. Exact by time, and quick for words that stand in half of all entries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db import connection

from sessions.archive.selectors.blocks import CHUNK
from sessions.models import Source
from sessions.search.engine.snippets import Query
from sessions.search.selectors.hits import Hit, hits_of
from sessions.transcripts.engine.entry_ids import POSITION_BITS

FEW = 1_000
"""Up to so many matches are sorted by time as a whole; beyond it, sessions are visited from the latest back."""
DEEPEST = 5_000


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


@dataclass(frozen=True, slots=True)
class _Scope:
    """Which transcripts count: those that are not an earlier version of a file, of one project or session if asked."""

    project: int | None
    session: int | None

    def sql(self, select: str) -> tuple[str, list[str | int]]:
        given = {"t.project_id": self.project, "t.id": self.session}
        asked = {name: value for name, value in given.items() if value is not None}
        return (
            f"SELECT {select} FROM transcripts_transcript t JOIN transcripts_source s ON s.id = t.source_id"
            f" WHERE s.state <> %s{''.join(f' AND {name} = %s' for name in asked)}",
            [Source.State.REPLACED.value, *asked.values()],
        )


def search(
    text: str, *, project: int | None = None, session: int | None = None, limit: int = 20, before: str | None = None
) -> SearchPage:
    """The newest entries that hold every word of `text`; quoted words must stand together, `word*` is a beginning."""
    query = Query.of(text)
    if not query.terms:
        return SearchPage((), 0, None)
    skip = min(int(before), DEEPEST) if before and before.isdecimal() else 0
    scope = _Scope(project, session)
    count, matches = _few(query, scope)
    if matches is None:
        matches = _latest(query, scope, limit + skip + 1)
    chosen = [match.entry_id for match in matches[skip : skip + limit]]
    more = len(matches) > skip + limit
    return SearchPage(tuple(hits_of(chosen, query)), count, str(skip + limit) if more else None)


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


def _few(query: Query, scope: _Scope) -> tuple[int | None, list[_Match] | None]:
    sql, words = _match_sql(query)
    with connection.cursor() as cursor:
        cursor.execute(f"{sql} LIMIT {FEW + 1}", words)
        ids = [row[0] for row in cursor.fetchall()]
        if len(ids) > FEW:
            return None, None
        within: set[int] = set()
        transcripts = list({one >> POSITION_BITS for one in ids})
        for some, marks in _at_once(transcripts):
            sql, given = scope.sql("t.id")
            cursor.execute(f"{sql} AND t.id IN ({marks})", [*given, *some])
            within.update(row[0] for row in cursor.fetchall())
        matches: list[_Match] = []
        for some, marks in _at_once([one for one in ids if one >> POSITION_BITS in within]):
            cursor.execute(f"SELECT id, at FROM transcripts_entry WHERE id IN ({marks})", some)
            matches += [_Match(pk, at or 0) for pk, at in cursor.fetchall()]
    return len(matches), sorted(matches, key=_newest_first)


def _at_once(ids: Sequence[int]) -> Iterator[tuple[Sequence[int], str]]:
    for start in range(0, len(ids), CHUNK):
        some = ids[start : start + CHUNK]
        yield some, ",".join(["%s"] * len(some))


def _newest_first(match: _Match) -> tuple[int, int]:
    return -match.at, -match.entry_id


def _latest(query: Query, scope: _Scope, wanted: int) -> list[_Match]:
    """Each session's newest matches, until no session left can hold a newer one than those found."""
    sql, words = _match_sql(query)
    key = "rowid" if connection.vendor == "sqlite" else "entry_id"
    inside = f"{sql} AND {key} >= %s AND {key} < %s ORDER BY {key} DESC LIMIT %s"
    timed = f"SELECT e.id, e.at FROM ({inside}) m JOIN transcripts_entry e ON e.id = m.{key}"
    found: list[_Match] = []
    with connection.cursor() as cursor:
        for pk, last_at in _newest_sessions(scope):
            if len(found) >= wanted:
                found.sort(key=_newest_first)
                if found[wanted - 1].at >= last_at:
                    break
            cursor.execute(timed, [*words, pk << POSITION_BITS, pk + 1 << POSITION_BITS, wanted])
            found += [_Match(entry, at or 0) for entry, at in cursor.fetchall()]
    return sorted(found, key=_newest_first)


def _newest_sessions(scope: _Scope) -> Iterator[tuple[int, int]]:
    """The latest few answer most searches: the others are not even listed. Those without a time come last."""
    sql, given = scope.sql("t.id, t.last_at")
    dated = f"{sql} AND t.last_at IS NOT NULL ORDER BY t.last_at DESC, t.id DESC LIMIT %s OFFSET %s"
    at, size = 0, 8
    while page := _rows(dated, [*given, size, at]):
        yield from page
        at, size = at + size, min(256, 4 * size)
    yield from ((pk, 0) for pk, _ in _rows(f"{sql} AND t.last_at IS NULL ORDER BY t.id DESC", given))


def _rows(sql: str, given: Sequence[str | int]) -> list[tuple[int, int]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, given)
        return list(cursor.fetchall())
