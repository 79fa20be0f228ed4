"""Two requests by their names in an address: `msg_...` of this session, or `session:msg_...` of another one."""

from __future__ import annotations

from dataclasses import replace

from django.http import Http404

from compaction.compare.engine.requests import as_sent
from compaction.compare.selectors.points import End, Points
from sessions.models import Request, Transcript
from sessions.transcripts.selectors.session import transcript_get

CHOICES = 120
"""Requests that are offered to choose from: the latest."""


def request_end(points: Points, name: str) -> End:
    """The messages are those that were sent. What was read of the session once serves both ends."""
    session, separator, message = name.rpartition(":")
    if separator and not name.startswith(":") and (other := _session(session)) is not None:
        points = points if other.pk == points.transcript.pk else Points(other)
    else:
        message = name
    end = points.request(message)
    return replace(end, name=name, side=as_sent(end.at_hand, end.side))


def _session(public_id: str) -> Transcript | None:
    """An id of a message may hold colons itself."""
    try:
        return transcript_get(public_id)
    except Http404:
        return None


def request_of(end: End) -> Request | None:
    return Request.objects.filter(transcript=end.transcript, message_id=end.at_hand.request).first()


def requests_offered(transcript: Transcript) -> list[Request]:
    found = Request.objects.filter(transcript=transcript).order_by("-position")
    return list(found[:CHOICES])
