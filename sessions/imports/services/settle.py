"""After an import: which file owns rows that several contain, the totals of each transcript, and which files belong
together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection
from typing import Any

from django.db import connection
from django.db.models import Sum

from sessions.imports.services.writer import WriteCounts
from sessions.linking.services.families import families_unite
from sessions.linking.services.owners import Owners
from sessions.models import Request, Transcript
from sessions.transcripts.engine.entry_ids import POSITION_BITS
from sessions.transcripts.engine.flags import Flag

_COPY, _DUPLICATE = int(Flag.COPY), int(Flag.DUPLICATE)
FEW = 20
"""Up to so many changed transcripts are looked at one by one; beyond it, whole tables are cheaper."""
_SMALL = 1_000
"""So many entries are joined quickly by any plan."""

TOTALS = (
    "SELECT transcript_id, count(*), sum(input), sum(cache_read), sum(cache_write_5m), sum(cache_write_1h),"
    " sum(output), coalesce(sum(cost), 0), sum(CASE WHEN cost IS NULL THEN 1 ELSE 0 END)"
    " FROM transcripts_request WHERE owned {where} GROUP BY transcript_id"
)
SET_TOTALS = (
    "UPDATE transcripts_transcript SET requests = %s, input = %s, cache_read = %s, cache_write_5m = %s,"
    " cache_write_1h = %s, output = %s, cost = %s, unpriced = %s WHERE id = %s"
)
TURNS = (
    "SELECT count(*), sum(input), sum(cache_read), sum(cache_write_5m + cache_write_1h), sum(output),"
    " CASE WHEN count(*) = count(cost) THEN sum(cost) END, transcript_id, turn"
    " FROM transcripts_request WHERE {where} GROUP BY transcript_id, turn"
)
SET_TURN = (
    "UPDATE transcripts_turn SET requests = %s, input = %s, cache_read = %s, cache_write = %s, output = %s, cost = %s"
    " WHERE id = %s"
)


def settle(touched: dict[int, int], written: WriteCounts) -> None:
    """`touched`: transcript id -> the first position that is new in it."""
    if not touched:
        return
    _count_rows(touched)
    changed = own_requests(touched) | touched.keys()
    own_entries(touched)
    with connection.cursor() as cursor:
        _totals(cursor, changed)
        _turns(cursor, touched)
    written.add("transcript", len(changed))
    if any(first == 0 for first in touched.values()):
        families_unite()
    ids = list(touched)
    for start in range(0, len(ids), 500):
        Transcript.objects.filter(pk__in=ids[start : start + 500]).update(settled=True)


def _count_rows(touched: Collection[int]) -> None:
    """PostgreSQL plans by its last statistics. If those were gathered before an import was committed, it takes the
    tables to be empty and compares every row with every other: 6,000 rows took half an hour."""
    if connection.vendor != "postgresql":
        return
    entries = Transcript.objects.filter(pk__in=list(touched)).aggregate(entries=Sum("entries"))["entries"] or 0
    if entries < _SMALL:
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE oid = 'transcripts_entry'::regclass")
        (counted,) = cursor.fetchone()
        if counted < entries:
            cursor.execute("ANALYZE transcripts_entry, transcripts_request")


def _sql_list(ids: Collection[int]) -> str:
    return "(" + ",".join(str(int(transcript_id)) for transcript_id in ids) + ")"


def own_requests(touched: dict[int, int]) -> set[int]:
    """The earliest file owns a request. Returns the transcripts whose ownership changed."""
    shared: dict[int, list[tuple[int, int, bool]]] = defaultdict(list)
    narrow = ""
    if len(touched) <= FEW:
        new = " OR ".join(
            f"(transcript_id = {int(pk)} AND position >= {int(position)})" for pk, position in touched.items()
        )
        narrow = f" WHERE message_key IN (SELECT message_key FROM transcripts_request WHERE {new})"
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, transcript_id, message_key, owned FROM transcripts_request WHERE message_key IN"
            f" (SELECT message_key FROM transcripts_request{narrow} GROUP BY message_key HAVING count(*) > 1)"
        )
        for pk, transcript_id, message_key, owned in cursor.fetchall():
            shared[message_key].append((pk, transcript_id, bool(owned)))
    if not shared:
        return set()
    owners = Owners()
    gain: list[int] = []
    lose: list[int] = []
    changed: set[int] = set()
    for rows in shared.values():
        owner = owners.find_owner({row[1] for row in rows})
        for row in rows:
            if row[2] != (row[1] == owner):
                (gain if row[1] == owner else lose).append(row[0])
                changed.add(row[1])
    for owned, request_ids in ((True, gain), (False, lose)):
        for position in range(0, len(request_ids), 500):
            Request.objects.filter(pk__in=request_ids[position : position + 500]).update(owned=owned)
    return changed


def own_entries(touched: dict[int, int]) -> None:
    """Marks rows that a fork copied in the later file, and notes where the fork came from."""
    narrow = ""
    if len(touched) <= FEW:
        spans = " OR ".join(
            f"(id >= {int(pk) << POSITION_BITS | int(position)} AND id < {int(pk) + 1 << POSITION_BITS})"
            for pk, position in touched.items()
        )
        narrow = f" WHERE uuid_key IN (SELECT uuid_key FROM transcripts_entry WHERE ({spans}))"
    by_uuid: dict[int, list[tuple[int, int]]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, uuid_key, flags FROM transcripts_entry WHERE uuid_key IN"
            f" (SELECT uuid_key FROM transcripts_entry{narrow} GROUP BY uuid_key HAVING count(*) > 1)"
        )
        for pk, uuid_key, flags in cursor.fetchall():
            by_uuid[uuid_key].append((pk, flags))
    if not by_uuid:
        return
    owners = Owners()
    updates: list[tuple[int, int]] = []
    copies: set[int] = set()
    origins: dict[int, Counter[int]] = defaultdict(Counter)
    for rows in by_uuid.values():
        files = {pk >> POSITION_BITS for pk, _ in rows}
        owner = owners.find_owner(files)
        if len(files) > 1:
            copies |= files
        seen_files: set[int] = set()
        for pk, flags in sorted(rows):
            file = pk >> POSITION_BITS
            new_flags = flags & ~_COPY | (_COPY if file != owner else 0) | (_DUPLICATE if file in seen_files else 0)
            seen_files.add(file)
            if file != owner:
                origins[file][owner] += 1
            if new_flags != flags:
                updates.append((new_flags, pk))
    with connection.cursor() as cursor:
        cursor.executemany("UPDATE transcripts_entry SET flags = %s WHERE id = %s", updates)
    _note_forks(copies, origins)


def _note_forks(files: Collection[int], origins: dict[int, Counter[int]]) -> None:
    for transcript in Transcript.objects.filter(pk__in=files):
        counts = origins.get(transcript.pk)
        if counts is None and not transcript.copies:
            continue
        start = transcript.pk << POSITION_BITS
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM transcripts_entry WHERE id >= %s AND id < %s AND (flags & %s) != 0",
                [start, start + (1 << POSITION_BITS), _COPY],
            )
            (copied,) = cursor.fetchone()
        origin = transcript.forked_from_id if counts is None else counts.most_common(1)[0][0]
        # It looked like a fork while another host had only read half of its origin.
        noted = {"forked_from_id": origin if copied else None, "copies": copied}
        Transcript.objects.filter(pk=transcript.pk).update(**noted)


def _totals(cursor: Any, changed: Collection[int]) -> None:
    where = f"AND transcript_id IN {_sql_list(changed)}" if len(changed) <= 500 else ""
    cursor.execute(TOTALS.format(where=where))
    totals = {row[0]: row[1:] for row in cursor.fetchall()}
    nothing = (0, 0, 0, 0, 0, 0, 0.0, 0)
    cursor.executemany(SET_TOTALS, [(*totals.get(pk, nothing), pk) for pk in changed])


def _turns(cursor: Any, touched: dict[int, int]) -> None:
    """Turns show the cost of their requests, whichever file owns those."""
    where = "TRUE"
    if len(touched) <= FEW:
        base = {pk: pk << POSITION_BITS for pk in touched}
        cursor.execute(
            "SELECT id FROM transcripts_turn WHERE "
            + " OR ".join(
                f"(id >= {base[pk]} AND id < {base[pk] + (1 << POSITION_BITS)} AND last >= {int(position)})"
                for pk, position in touched.items()
            )
        )
        lowest: dict[int, int] = {}
        for (pk,) in cursor.fetchall():
            number = pk & (1 << POSITION_BITS) - 1
            transcript = pk >> POSITION_BITS
            lowest[transcript] = min(number, lowest.get(transcript, number))
        if not lowest:
            return
        where = " OR ".join(f"(transcript_id = {pk} AND turn >= {number})" for pk, number in lowest.items())
    cursor.execute(TURNS.format(where=where))
    rows = [(*row[:6], row[6] << POSITION_BITS | row[7]) for row in cursor.fetchall()]
    cursor.executemany(SET_TURN, rows)
