"""The requests of a session as calls: usage from their rows, and when each was sent from the rows around them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Q

from compaction.cache.engine.calls import Call
from sessions.capture.selectors.captures import captures_among
from sessions.context.engine.request_log import REQUEST
from sessions.models import Entry, Request, Transcript
from sessions.transcripts.engine.entry_ids import POSITION_BITS, POSITION_MASK
from sessions.usage.engine.usage import Usage

_SENT = ("user", "attachment", REQUEST)
"""Records that a request holds, or that log it: the newest before its answer tells when it was sent."""
LOOKED_AT = (Transcript.Kind.MAIN, Transcript.Kind.AGENT)
"""Files whose requests go on from each other."""
COUNTED = (*LOOKED_AT, Transcript.Kind.COMPACTION)
"""Files whose requests are counted: that of a compaction repeats the session and asks once."""


@dataclass(frozen=True, slots=True)
class Family:
    """A session and its sub-agents, each file with its requests."""

    session: Transcript
    transcripts: dict[int, Transcript]
    calls: dict[int, list[Call]]
    """By transcript, in order."""

    @property
    def every(self) -> list[Call]:
        return [call for calls in self.calls.values() for call in calls]


def members_of(session: Transcript) -> dict[int, Transcript]:
    found = Transcript.objects.filter(Q(pk=session.pk) | Q(parent=session), kind__in=COUNTED)
    return {one.pk: one for one in found.order_by("pk")}


def family_of(session: Transcript) -> Family:
    members = members_of(session)
    calls: dict[int, list[Call]] = {pk: [] for pk in members}
    asked: dict[int, list[Request]] = {pk: [] for pk in members}
    for one in Request.objects.filter(transcript__in=members).order_by("transcript_id", "position"):
        asked[one.transcript_id].append(one)
    for pk, requests in asked.items():
        calls[pk] = calls_of(pk, requests)
    return Family(session, members, calls)


def calls_of(transcript: int, requests: Sequence[Request], *, timed: bool = True) -> list[Call]:
    """`requests`: in order of position. `timed`: else those times are not looked for that only other rows know."""
    times = _times(transcript, requests) if timed else _Times(())
    found, since = [], -1
    for one in requests:
        sent = times.newest(since, one.position)
        since = one.position
        usage = Usage(one.input, one.cache_read, one.cache_write_5m, one.cache_write_1h, one.output)
        started = one.at if sent is None else sent if one.at is None else min(sent, one.at)
        source = f"{transcript}:{one.agent}"
        found.append(Call(one.message_id, source, one.model, one.position, started, usage, not one.owned))
    return found


def captured_calls(family: Family) -> dict[str, int]:
    """The id of an answer -> the newest capture of its request."""
    found: dict[str, int] = {}
    for one in family.transcripts.values():
        found.update((name, pk) for name, pk in captures_among(one).items() if pk is not None)
    return found


class _Times:
    def __init__(self, rows: Iterable[tuple[int, int]]) -> None:
        pairs = sorted(rows)
        self._positions = [position for position, _ in pairs]
        self._at = [at for _, at in pairs]

    def newest(self, after: int, before: int) -> int | None:
        """The latest time between two positions, or else of the last record before."""
        first, end = bisect_left(self._positions, after + 1), bisect_left(self._positions, before)
        if first < end:
            return max(self._at[first:end])
        return self._at[end - 1] if end else None


def _times(transcript: int, requests: Sequence[Request]) -> _Times:
    if not requests:
        return _Times(())
    first = transcript << POSITION_BITS
    last = first | requests[-1].position
    rows = Entry.objects.filter(id__gte=first, id__lt=last, type__in=_SENT, at__isnull=False).values_list("id", "at")
    return _Times((pk & POSITION_MASK, at) for pk, at in rows.iterator() if at is not None)
