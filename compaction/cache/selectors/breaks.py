"""Reads what was found out about the prompt cache: breaks, totals and advice, and which sessions are due."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db import connection
from django.db.models import F, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from compaction.cache.engine.calls import drops
from compaction.cache.selectors.calls import COUNTED, LOOKED_AT, calls_of
from compaction.models import CacheBreak, CacheScan
from sessions.models import Request, Source, Transcript
from sessions.transcripts.engine.keys import key_of

RULES = 2
"""Of the detection. Raise it when they change: everything is then looked at again."""
NEWEST = (
    "SELECT coalesce(t.parent_id, t.id), max(c.id) FROM transcripts_capture c"
    " JOIN transcripts_request r ON r.message_key = c.message_key"
    " JOIN transcripts_transcript t ON t.id = r.transcript_id{where} GROUP BY coalesce(t.parent_id, t.id)"
)
LATEST = 60
"""Requests at the end of a growing file that are looked at for a drop."""


class BreakMissingError(LookupError):
    """No break of that session has this id."""


@dataclass(frozen=True, slots=True)
class Reached:
    """How much a session has by now, sub-agents included."""

    entries: int
    requests: int
    captures: int = 0
    """The newest capture of one of its requests: with it, they can be compared better."""


def breaks_of(session: Transcript, *, expected: bool | None = None) -> QuerySet[CacheBreak]:
    """In order of time; `expected`: only those, or only the others."""
    found = CacheBreak.objects.filter(session=session)
    if expected is not None:
        found = found.filter(expected=expected)
    return found.order_by(F("at").asc(nulls_last=True), "transcript_id", "position")


def break_of(session: Transcript, message_id: str) -> CacheBreak:
    found = CacheBreak.objects.filter(session=session, message_key=key_of(message_id), message_id=message_id)
    one = found.select_related("session", "transcript").order_by("transcript_id").first()
    if one is None:
        raise BreakMissingError(f"The cache of this session did not break at {message_id}.")
    return one


def scan_of(session: Transcript) -> CacheScan | None:
    """What was added up when it was last looked into: `totals`, and `advice` with `pruning` and `ttl`."""
    return CacheScan.objects.filter(transcript=session).first()


def scan_due(session: Transcript) -> bool:
    scan = scan_of(session)
    if scan is None or scan.rules != RULES:
        return True
    return Reached(scan.entries, scan.requests, scan.captures) != reached_of(session)


def session_of(transcript: Transcript) -> Transcript:
    """The session that a file belongs to: a sub-agent's cache is looked at with that of its session."""
    return transcript.parent or transcript


def reached_of(session: Transcript) -> Reached:
    members = Transcript.objects.filter(Q(pk=session.pk) | Q(parent=session), kind__in=COUNTED)
    counted = members.aggregate(entries=Sum("entries"), requests=Sum("requests"))
    return Reached(counted["entries"] or 0, counted["requests"] or 0, newest_captures(session.pk).get(session.pk, 0))


def newest_captures(session: int | None = None) -> dict[int, int]:
    """Session -> the newest capture of one of its requests; of this session only, if one is given."""
    where = "" if session is None else " WHERE (t.id = %s OR t.parent_id = %s)"
    with connection.cursor() as cursor:
        cursor.execute(NEWEST.format(where=where), [] if session is None else [session, session])
        return dict(cursor.fetchall())


def scans_due(ids: Collection[int] | None = None) -> list[int]:
    """The sessions whose scan is not there, or is behind, the latest first. Four queries, however many there are.

    `ids`: among these only."""
    sessions = Transcript.objects.filter(kind__in=LOOKED_AT, parent=None).exclude(source__state=Source.State.REPLACED)
    if ids is not None:
        sessions = sessions.filter(pk__in=ids)
    scans = CacheScan.objects.values_list("transcript_id", "rules", "entries", "requests", "captures")
    known = {pk: (Reached(*reached), rules) for pk, rules, *reached in scans}
    captured = newest_captures()
    members = Transcript.objects.filter(kind__in=COUNTED).annotate(root=Coalesce("parent_id", "pk"))
    sums = members.values("root").order_by("root").annotate(all=Sum("entries"), asked=Sum("requests"))
    now = {row["root"]: Reached(row["all"] or 0, row["asked"] or 0, captured.get(row["root"], 0)) for row in sums}
    ordered = sessions.order_by("-last_at", "-pk").values_list("pk", flat=True)
    return [pk for pk in ordered if known.get(pk) != (now.get(pk), RULES)]


def unseen(transcripts: Collection[int]) -> set[int]:
    """The sessions of these files that nobody has looked into, and that are short enough to tell from their usage that
    nothing has dropped."""
    roots = Transcript.objects.filter(pk__in=transcripts, kind__in=LOOKED_AT).values_list("pk", "parent_id")
    sessions = Transcript.objects.filter(pk__in={parent or pk for pk, parent in roots}, cache_breaks=None)
    members = Q(requests__gt=LATEST) | Q(children__requests__gt=LATEST)
    return set(sessions.exclude(members).values_list("pk", flat=True))


def broken_at(messages: Collection[str]) -> set[int]:
    """The sessions with a break at one of these requests, or right after one: what was recorded of it tells more."""
    at = Q(message_key__in=[key_of(one) for one in messages]) | Q(previous_message_id__in=messages)
    return set(CacheBreak.objects.filter(at).values_list("session_id", flat=True))


def dropped_lately(transcripts: Collection[int]) -> set[int]:
    """The sessions of those files whose last requests hold a drop that nobody has looked at. Decodes nothing."""
    found = set()
    members = Transcript.objects.filter(pk__in=transcripts, kind__in=LOOKED_AT)
    for pk, parent in members.values_list("pk", "parent_id"):
        latest = list(Request.objects.filter(transcript=pk).order_by("-position")[:LATEST])
        keys = {key_of(drop.call.message_id) for drop in drops(calls_of(pk, latest[::-1], timed=False))}
        if not keys:
            continue
        session = parent or pk
        scan = CacheScan.objects.filter(transcript=session).values_list("dismissed", flat=True).first() or {}
        keys -= {key for key in keys if f"{pk}:{key}" in scan}
        if keys - set(CacheBreak.objects.filter(transcript=pk).values_list("message_key", flat=True)):
            found.add(session)
    return found
