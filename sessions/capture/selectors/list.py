"""Captured requests in a list, each with the session that it belongs to; and what they take on the disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Func, IntegerField, Q, QuerySet, Sum

from inspector.web.query import whole_number
from sessions.models import (
    Capture,
    CaptureBlob,
    Request,
    Source,
    Transcript,
)

BULKY = ("params", "marks", "headers", "system", "tools", "messages", "diagnostics")
"""What a list does not show."""


class _Bytes(Func):
    """Of a binary value; both databases call it so."""

    function = "LENGTH"
    output_field = IntegerField()


@dataclass(frozen=True, slots=True)
class Captured:
    capture: Capture
    transcript: Transcript | None
    joined: bool
    """By its answer, which stands in the transcript; else only by the name of the session."""


@dataclass(frozen=True, slots=True)
class Stored:
    captures: int
    sent: int
    """Bytes of all requests as they were sent."""
    contents: int
    """Bytes that their contents take, each once and compressed."""


def captures_found(*, session: str = "", run: int | None = None) -> QuerySet[Capture]:
    """The newest first. `session`: an id, or the beginning of one."""
    found = Capture.objects.defer(*BULKY).order_by("-at", "-pk")
    if session:
        found = found.filter(session_id__startswith=session)
    return found if run is None else found.filter(run_id=run)


def forks_found() -> QuerySet[Capture]:
    """Those of Lucid's own requests that go on from one of a session, the newest first."""
    own = Capture.objects.filter(origin=Capture.Origin.LUCID).exclude(parent_message="")
    return own.defer(*BULKY).order_by("-at", "-pk")


def own_count() -> int:
    return Capture.objects.filter(origin=Capture.Origin.LUCID).count()


def with_sessions(captures: Sequence[Capture]) -> list[Captured]:
    """Two queries, however many there are."""
    keys = {one.message_key for one in captures if one.message_key is not None}
    owners = {
        (request.message_key, request.message_id): request.transcript
        for request in Request.objects.filter(message_key__in=keys, owned=True)
        .select_related("transcript")
        .defer("transcript__ruler", "transcript__state", "transcript__meta")
    }
    named = {one.session_id for one in captures if one.session_id}
    current = Transcript.objects.filter(session_id__in=named, kind=Transcript.Kind.MAIN)
    current = current.exclude(source__state=Source.State.REPLACED).defer("ruler", "state", "meta")
    sessions = {one.session_id: one for one in current}
    rows = []
    for one in captures:
        owner = owners.get((one.message_key, one.message_id)) if one.message_key is not None else None
        rows.append(Captured(one, owner or sessions.get(one.session_id), owner is not None))
    return rows


def captures_stored() -> Stored:
    counts = Capture.objects.aggregate(number=Count("pk"), sent=Sum("request_bytes"))
    contents = CaptureBlob.objects.aggregate(bytes=Sum(_Bytes("data")))
    return Stored(counts["number"], counts["sent"] or 0, contents["bytes"] or 0)


def capture_named(name: str) -> Capture | None:
    """By its number, or by the id of the message or the request that the API gave."""
    if (number := whole_number(name)) is not None:
        return Capture.objects.filter(pk=number).first()
    return Capture.objects.filter(Q(message_id=name) | Q(request_id=name) | Q(exchange=name)).order_by("-pk").first()
