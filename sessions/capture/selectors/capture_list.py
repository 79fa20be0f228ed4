"""Lists captured requests with their sessions, and measures their size on disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Func, IntegerField, Q, QuerySet, Sum

from inspector.web.query import whole_number
from sessions.models import Capture, CaptureBlob, Request, Source, Transcript

BULKY = ("params", "marks", "headers", "system", "tools", "messages", "diagnostics")
"""Columns that a list does not show."""


class _Bytes(Func):
    """Length of a binary value, under the same name in both databases."""

    function = "LENGTH"
    output_field = IntegerField()


@dataclass(frozen=True, slots=True)
class CaptureRow:
    capture: Capture
    transcript: Transcript | None
    is_matched: bool
    """Matched by its answer, which is in the transcript; otherwise only by the id of the session."""


@dataclass(frozen=True, slots=True)
class StoredSize:
    captures: int
    sent: int
    """Bytes of all requests before they were split and compressed."""
    contents: int
    """Bytes of their contents, each stored once and compressed."""


def list_captures(*, session: str = "", run: int | None = None) -> QuerySet[Capture]:
    """Newest first. `session`: an id, or the beginning of one."""
    captures = Capture.objects.defer(*BULKY).order_by("-at", "-pk")
    if session:
        captures = captures.filter(session_id__startswith=session)
    return captures if run is None else captures.filter(run_id=run)


def list_forks() -> QuerySet[Capture]:
    """Lucid's own requests that continue a request of a session, newest first."""
    requests = Capture.objects.filter(origin=Capture.Origin.LUCID).exclude(parent_message="")
    return requests.defer(*BULKY).order_by("-at", "-pk")


def count_own_captures() -> int:
    return Capture.objects.filter(origin=Capture.Origin.LUCID).count()


def add_sessions(captures: Sequence[Capture]) -> list[CaptureRow]:
    """Takes two queries for any number of captures."""
    keys = {capture.message_key for capture in captures if capture.message_key is not None}
    owners = {
        (request.message_key, request.message_id): request.transcript
        for request in Request.objects.filter(message_key__in=keys, owned=True)
        .select_related("transcript")
        .defer("transcript__ruler", "transcript__state", "transcript__meta")
    }
    session_ids = {capture.session_id for capture in captures if capture.session_id}
    current = Transcript.objects.filter(session_id__in=session_ids, kind=Transcript.Kind.MAIN)
    current = current.exclude(source__state=Source.State.REPLACED).defer("ruler", "state", "meta")
    sessions = {capture.session_id: capture for capture in current}
    rows = []
    for capture in captures:
        owner = owners.get((capture.message_key, capture.message_id)) if capture.message_key is not None else None
        rows.append(CaptureRow(capture, owner or sessions.get(capture.session_id), owner is not None))
    return rows


def measure_captures() -> StoredSize:
    counts = Capture.objects.aggregate(number=Count("pk"), sent=Sum("request_bytes"))
    contents = CaptureBlob.objects.aggregate(bytes=Sum(_Bytes("data")))
    return StoredSize(counts["number"], counts["sent"] or 0, contents["bytes"] or 0)


def find_capture_by_name(name: str) -> Capture | None:
    """By its number, its exchange, or the API's id of its message or request."""
    if (number := whole_number(name)) is not None:
        return Capture.objects.filter(pk=number).first()
    return Capture.objects.filter(Q(message_id=name) | Q(request_id=name) | Q(exchange=name)).order_by("-pk").first()
