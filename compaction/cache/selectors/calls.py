"""The requests of a session as calls: usage from their own rows, the time of sending from the rows around them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Q

from compaction.cache.engine.requests.calls import Call
from sessions.capture.selectors.captures import capture_numbers
from sessions.context.engine.request_log import REQUEST
from sessions.models import Entry, Request, Transcript
from sessions.transcripts.engine.entry_ids import POSITION_BITS, POSITION_MASK
from sessions.usage.engine.usage import Usage

_SENT_TYPES = ("user", "attachment", REQUEST)
"""Records that are part of a request, or that log it: the newest before its answer shows when it was sent."""
SCANNED_KINDS = (Transcript.Kind.MAIN, Transcript.Kind.AGENT)
"""Files whose requests continue each other."""
COUNTED_KINDS = (*SCANNED_KINDS, Transcript.Kind.COMPACTION)
"""Files whose requests are counted. The file of a compaction repeats the session and makes one request."""


@dataclass(frozen=True, slots=True)
class Family:
    """A session and its sub-agents, each file with its requests."""

    session: Transcript
    transcripts: dict[int, Transcript]
    calls: dict[int, list[Call]]
    """By transcript, in order."""

    @property
    def all_calls(self) -> list[Call]:
        return [call for calls in self.calls.values() for call in calls]


def members_of(session: Transcript) -> dict[int, Transcript]:
    transcripts = Transcript.objects.filter(Q(pk=session.pk) | Q(parent=session), kind__in=COUNTED_KINDS)
    return {transcript.pk: transcript for transcript in transcripts.order_by("pk")}


def family_of(session: Transcript) -> Family:
    members = members_of(session)
    calls: dict[int, list[Call]] = {pk: [] for pk in members}
    requests_by_transcript: dict[int, list[Request]] = {pk: [] for pk in members}
    for request in Request.objects.filter(transcript__in=members).order_by("transcript_id", "position"):
        requests_by_transcript[request.transcript_id].append(request)
    for pk, requests in requests_by_transcript.items():
        calls[pk] = calls_of(pk, requests)
    return Family(session, members, calls)


def calls_of(transcript: int, requests: Sequence[Request], *, with_times: bool = True) -> list[Call]:
    """`requests`: in order of position. `with_times`: also read the times of sending from other rows."""
    times = _send_times(transcript, requests) if with_times else _SendTimes(())
    calls, last_position = [], -1
    for request in requests:
        sent_at = times.newest(last_position, request.position)
        last_position = request.position
        usage = Usage(request.input, request.cache_read, request.cache_write_5m, request.cache_write_1h, request.output)
        started = request.at if sent_at is None else sent_at if request.at is None else min(sent_at, request.at)
        source = f"{transcript}:{request.agent}"
        calls.append(
            Call(request.message_id, source, request.model, request.position, started, usage, not request.owned)
        )
    return calls


def newest_capture_by_answer(family: Family) -> dict[str, int]:
    """The id of an answer -> the newest capture of its request."""
    captures: dict[str, int] = {}
    for transcript in family.transcripts.values():
        captures.update((name, pk) for name, pk in capture_numbers(transcript).items() if pk is not None)
    return captures


class _SendTimes:
    def __init__(self, rows: Iterable[tuple[int, int]]) -> None:
        pairs = sorted(rows)
        self._positions = [position for position, _ in pairs]
        self._times = [time for _, time in pairs]

    def newest(self, after: int, before: int) -> int | None:
        """The latest time between two positions, or else the time of the last record before them."""
        first, end = bisect_left(self._positions, after + 1), bisect_left(self._positions, before)
        if first < end:
            return max(self._times[first:end])
        return self._times[end - 1] if end else None


def _send_times(transcript: int, requests: Sequence[Request]) -> _SendTimes:
    if not requests:
        return _SendTimes(())
    first = transcript << POSITION_BITS
    last = first | requests[-1].position
    rows = Entry.objects.filter(id__gte=first, id__lt=last, type__in=_SENT_TYPES, at__isnull=False).values_list(
        "id", "at"
    )
    return _SendTimes((pk & POSITION_MASK, time) for pk, time in rows.iterator() if time is not None)
