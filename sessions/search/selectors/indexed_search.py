"""Searches the text index, newest first. It stays fast for words that are in half of all entries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db import connection

from sessions.archive.selectors.blocks import CHUNK
from sessions.models import Source
from sessions.search.engine.snippets import Query
from sessions.search.selectors.hits import Hit, load_hits
from sessions.transcripts.engine.entry_ids import POSITION_BITS

MAX_SORTED = 1_000
"""Up to this many matches are sorted by time. If there are more, sessions are searched from the latest back."""
MAX_SKIPPED = 5_000


@dataclass(frozen=True, slots=True)
class SearchPage:
    hits: tuple[Hit, ...]
    count: int | None
    """Number of all matches; None if there are too many to count."""
    next: str | None
    """Value of `before` for the next page, with older hits."""

    @property
    def has_more(self) -> bool:
        return self.next is not None


@dataclass(frozen=True, slots=True)
class _Match:
    entry_id: int
    at: int


@dataclass(frozen=True, slots=True)
class _Scope:
    """Which transcripts to search: all but earlier versions of files, or those of one project or session."""

    project: int | None
    session: int | None

    def sql(self, select: str) -> tuple[str, list[str | int]]:
        columns = {"t.project_id": self.project, "t.id": self.session}
        conditions = {name: value for name, value in columns.items() if value is not None}
        return (
            f"SELECT {select} FROM transcripts_transcript t JOIN transcripts_source s ON s.id = t.source_id"
            f" WHERE s.state <> %s{''.join(f' AND {name} = %s' for name in conditions)}",
            [Source.State.REPLACED.value, *conditions.values()],
        )


def search_index(
    text: str, *, project: int | None = None, session: int | None = None, limit: int = 20, before: str | None = None
) -> SearchPage:
    """The newest entries with every word of `text`. Quoted words are phrases, `word*` is a prefix."""
    query = Query.of(text)
    if not query.terms:
        return SearchPage((), 0, None)
    skip = min(int(before), MAX_SKIPPED) if before and before.isdecimal() else 0
    scope = _Scope(project, session)
    count, matches = _find_few(query, scope)
    if matches is None:
        matches = _find_latest(query, scope, limit + skip + 1)
    chosen = [match.entry_id for match in matches[skip : skip + limit]]
    more = len(matches) > skip + limit
    return SearchPage(tuple(load_hits(chosen, query)), count, str(skip + limit) if more else None)


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


def _find_few(query: Query, scope: _Scope) -> tuple[int | None, list[_Match] | None]:
    sql, words = _match_sql(query)
    with connection.cursor() as cursor:
        cursor.execute(f"{sql} LIMIT {MAX_SORTED + 1}", words)
        ids = [row[0] for row in cursor.fetchall()]
        if len(ids) > MAX_SORTED:
            return None, None
        transcripts_in_scope: set[int] = set()
        transcripts = list({entry_id >> POSITION_BITS for entry_id in ids})
        for batch, marks in _batches(transcripts):
            sql, parameters = scope.sql("t.id")
            cursor.execute(f"{sql} AND t.id IN ({marks})", [*parameters, *batch])
            transcripts_in_scope.update(row[0] for row in cursor.fetchall())
        matches: list[_Match] = []
        for batch, marks in _batches(
            [entry_id for entry_id in ids if entry_id >> POSITION_BITS in transcripts_in_scope]
        ):
            cursor.execute(f"SELECT id, at FROM transcripts_entry WHERE id IN ({marks})", batch)
            matches += [_Match(pk, at or 0) for pk, at in cursor.fetchall()]
    return len(matches), sorted(matches, key=_newest_first)


def _batches(ids: Sequence[int]) -> Iterator[tuple[Sequence[int], str]]:
    for start in range(0, len(ids), CHUNK):
        batch = ids[start : start + CHUNK]
        yield batch, ",".join(["%s"] * len(batch))


def _newest_first(match: _Match) -> tuple[int, int]:
    return -match.at, -match.entry_id


def _find_latest(query: Query, scope: _Scope, limit: int) -> list[_Match]:
    """The newest matches of each session, until no remaining session can have a newer one."""
    sql, words = _match_sql(query)
    key = "rowid" if connection.vendor == "sqlite" else "entry_id"
    session_matches = f"{sql} AND {key} >= %s AND {key} < %s ORDER BY {key} DESC LIMIT %s"
    matches_with_time = f"SELECT e.id, e.at FROM ({session_matches}) m JOIN transcripts_entry e ON e.id = m.{key}"
    matches: list[_Match] = []
    with connection.cursor() as cursor:
        for pk, last_at in _newest_sessions(scope):
            if len(matches) >= limit:
                matches.sort(key=_newest_first)
                if matches[limit - 1].at >= last_at:
                    break
            cursor.execute(matches_with_time, [*words, pk << POSITION_BITS, pk + 1 << POSITION_BITS, limit])
            matches += [_Match(entry, at or 0) for entry, at in cursor.fetchall()]
    return sorted(matches, key=_newest_first)


def _newest_sessions(scope: _Scope) -> Iterator[tuple[int, int]]:
    """Ids and times of sessions, newest first, those without a time last. Most searches need only the first page."""
    sql, parameters = scope.sql("t.id, t.last_at")
    with_time = f"{sql} AND t.last_at IS NOT NULL ORDER BY t.last_at DESC, t.id DESC LIMIT %s OFFSET %s"
    offset, size = 0, 8
    while page := _fetch(with_time, [*parameters, size, offset]):
        yield from page
        offset, size = offset + size, min(256, 4 * size)
    yield from ((pk, 0) for pk, _ in _fetch(f"{sql} AND t.last_at IS NULL ORDER BY t.id DESC", parameters))


def _fetch(sql: str, parameters: Sequence[str | int]) -> list[tuple[int, int]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall())
