"""Which sessions are probably still running: the agent has just written their file, and its last record is recent.

By the time of the file alone, every session that was just unpacked, restored or cloned would seem live."""

from __future__ import annotations

from django.db.models import Q

from sessions.models import Source, Transcript

LIVE_MS = 5 * 60_000


def is_live(transcript: Transcript, now: int) -> bool:
    source = transcript.source
    written = source.state == Source.State.PRESENT and now - source.mtime_ns // 1_000_000 < LIVE_MS
    return written and (transcript.last_at is None or now - transcript.last_at < LIVE_MS)


def is_live_query(now: int) -> Q:
    """The same for a query."""
    since = now - LIVE_MS
    written = Q(source__state=Source.State.PRESENT, source__mtime_ns__gt=since * 1_000_000)
    return written & (Q(last_at__isnull=True) | Q(last_at__gt=since))
