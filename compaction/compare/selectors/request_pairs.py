"""Two requests by their names in an address: `msg_...` of this session, or `session:msg_...` of another one."""

from __future__ import annotations

from dataclasses import replace

from django.http import Http404

from compaction.compare.engine.requests import sent_side
from compaction.compare.selectors.points import ComparedContext, Points
from sessions.models import Request, Transcript
from sessions.transcripts.selectors.session import transcript_get

CHOICES = 120
"""Requests that are offered to choose from: the latest."""


def request_end(points: Points, name: str) -> ComparedContext:
    """A point with the messages that were sent. Both points share what was read of the session."""
    session, separator, message = name.rpartition(":")
    if separator and not name.startswith(":") and (other := _session(session)) is not None:
        points = points if other.pk == points.transcript.pk else Points(other)
    else:
        message = name
    end = points.request(message)
    return replace(end, name=name, side=sent_side(end.loaded_context, end.side))


def _session(public_id: str) -> Transcript | None:
    """A message id may contain colons."""
    try:
        return transcript_get(public_id)
    except Http404:
        return None


def request_of(end: ComparedContext) -> Request | None:
    return Request.objects.filter(transcript=end.transcript, message_id=end.loaded_context.request).first()


def latest_requests(transcript: Transcript) -> list[Request]:
    requests = Request.objects.filter(transcript=transcript).order_by("-position")
    return list(requests[:CHOICES])
