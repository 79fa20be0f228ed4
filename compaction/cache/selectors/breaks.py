"""Reads breaks of the prompt cache, totals and advice, and which sessions are due for a scan."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db import connection
from django.db.models import F, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from compaction.cache.engine.requests.calls import find_drops
from compaction.cache.selectors.calls import COUNTED_KINDS, SCANNED_KINDS, calls_of
from compaction.models import CacheBreak, CacheScan
from sessions.models import Request, Source, Transcript
from sessions.transcripts.engine.keys import key_of

RULES_VERSION = 6
"""Raise it when the rules of the detection change: all sessions are then scanned again."""
_NEWEST_CAPTURES = (
    "SELECT coalesce(t.parent_id, t.id), max(c.id) FROM transcripts_capture c"
    " JOIN transcripts_request r ON r.message_key = c.message_key"
    " JOIN transcripts_transcript t ON t.id = r.transcript_id{where} GROUP BY coalesce(t.parent_id, t.id)"
)
_LATEST_REQUESTS = 60
"""Requests at the end of a growing file that are checked for a drop."""


class BreakMissingError(LookupError):
    """No break of that session has this id."""


@dataclass(frozen=True, slots=True)
class SessionSize:
    """How much a session has so far, sub-agents included."""

    entries: int
    requests: int
    captures: int = 0
    """The newest capture of one of its requests; captures make comparisons more exact."""


def breaks_of(session: Transcript, *, expected: bool | None = None) -> QuerySet[CacheBreak]:
    """In order of time. `expected`: only the expected ones, or only the others."""
    breaks = CacheBreak.objects.filter(session=session)
    if expected is not None:
        breaks = breaks.filter(expected=expected)
    return breaks.order_by(F("at").asc(nulls_last=True), "transcript_id", "position")


def break_of(session: Transcript, message_id: str) -> CacheBreak:
    breaks = CacheBreak.objects.filter(session=session, message_key=key_of(message_id), message_id=message_id)
    cache_break = breaks.select_related("session", "transcript").order_by("transcript_id").first()
    if cache_break is None:
        raise BreakMissingError(f"The cache of this session did not break at {message_id}.")
    return cache_break


def scan_of(session: Transcript) -> CacheScan | None:
    """The result of the last scan of a session."""
    return CacheScan.objects.filter(transcript=session).first()


def is_scan_due(session: Transcript) -> bool:
    scan = scan_of(session)
    if scan is None or scan.rules != RULES_VERSION:
        return True
    return SessionSize(scan.entries, scan.requests, scan.captures) != size_of(session)


def session_of(transcript: Transcript) -> Transcript:
    """The session that a file belongs to: the cache of a sub-agent is scanned with that of its session."""
    return transcript.parent or transcript


def size_of(session: Transcript) -> SessionSize:
    members = Transcript.objects.filter(Q(pk=session.pk) | Q(parent=session), kind__in=COUNTED_KINDS)
    sums = members.aggregate(entries=Sum("entries"), requests=Sum("requests"))
    return SessionSize(
        sums["entries"] or 0, sums["requests"] or 0, newest_capture_by_session(session.pk).get(session.pk, 0)
    )


def newest_capture_by_session(session: int | None = None) -> dict[int, int]:
    """Session -> the newest capture of one of its requests; `session`: of this one only."""
    where = "" if session is None else " WHERE (t.id = %s OR t.parent_id = %s)"
    with connection.cursor() as cursor:
        cursor.execute(_NEWEST_CAPTURES.format(where=where), [] if session is None else [session, session])
        return dict(cursor.fetchall())


def sessions_due(ids: Collection[int] | None = None) -> list[int]:
    """The sessions without an up-to-date scan, the latest first. Always four queries. `ids`: among these only."""
    sessions = Transcript.objects.filter(kind__in=SCANNED_KINDS, parent=None).exclude(
        source__state=Source.State.REPLACED
    )
    if ids is not None:
        sessions = sessions.filter(pk__in=ids)
    scans = CacheScan.objects.values_list("transcript_id", "rules", "entries", "requests", "captures")
    scanned = {pk: (SessionSize(*size), rules) for pk, rules, *size in scans}
    newest_captures = newest_capture_by_session()
    members = Transcript.objects.filter(kind__in=COUNTED_KINDS).annotate(root=Coalesce("parent_id", "pk"))
    sums = members.values("root").order_by("root").annotate(all=Sum("entries"), asked=Sum("requests"))
    current = {
        row["root"]: SessionSize(row["all"] or 0, row["asked"] or 0, newest_captures.get(row["root"], 0))
        for row in sums
    }
    ordered = sessions.order_by("-last_at", "-pk").values_list("pk", flat=True)
    return [pk for pk in ordered if scanned.get(pk) != (current.get(pk), RULES_VERSION)]


def short_unscanned_sessions(transcripts: Collection[int]) -> set[int]:
    """The sessions of these files that were never scanned and are short enough for their usage alone to show that
    nothing has dropped."""
    roots = Transcript.objects.filter(pk__in=transcripts, kind__in=SCANNED_KINDS).values_list("pk", "parent_id")
    sessions = Transcript.objects.filter(pk__in={parent or pk for pk, parent in roots}, cache_breaks=None)
    members = Q(requests__gt=_LATEST_REQUESTS) | Q(children__requests__gt=_LATEST_REQUESTS)
    return set(sessions.exclude(members).values_list("pk", flat=True))


def sessions_with_breaks_at(messages: Collection[str]) -> set[int]:
    """The sessions with a break at one of these requests, or right after one."""
    condition = Q(message_key__in=[key_of(message) for message in messages]) | Q(previous_message_id__in=messages)
    return set(CacheBreak.objects.filter(condition).values_list("session_id", flat=True))


def sessions_with_new_drops(transcripts: Collection[int]) -> set[int]:
    """The sessions of these files whose last requests hold a drop that was not explained yet. Decodes nothing."""
    sessions = set()
    members = Transcript.objects.filter(pk__in=transcripts, kind__in=SCANNED_KINDS)
    for pk, parent in members.values_list("pk", "parent_id"):
        requests = list(Request.objects.filter(transcript=pk).order_by("-position")[:_LATEST_REQUESTS])
        keys = {key_of(drop.call.message_id) for drop in find_drops(calls_of(pk, requests[::-1], with_times=False))}
        if not keys:
            continue
        session = parent or pk
        dismissed = CacheScan.objects.filter(transcript=session).values_list("dismissed", flat=True).first() or {}
        keys -= {key for key in keys if f"{pk}:{key}" in dismissed}
        if keys - set(CacheBreak.objects.filter(transcript=pk).values_list("message_key", flat=True)):
            sessions.add(session)
    return sessions
