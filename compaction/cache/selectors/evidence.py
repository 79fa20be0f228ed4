"""What is known about two requests between which the cache dropped. Decodes what they are made of, and little else."""

from __future__ import annotations

from collections.abc import Sequence

from compaction.cache.engine.calls import Call, Drop, fell
from compaction.cache.engine.evidence import (
    CLEARED,
    FOLDED,
    HINTS,
    Answer,
    Event,
    Evidence,
    settled,
)
from compaction.cache.selectors.pairs import pair_of
from sessions.archive.selectors.records import Reader
from sessions.context.engine import Context
from sessions.context.selectors.contexts import ContextPoint
from sessions.models import Entry, Transcript
from sessions.transcripts.engine.entry_ids import POSITION_BITS, POSITION_MASK
from sessions.transcripts.engine.keys import key_of

_KINDS = CLEARED | FOLDED | HINTS.keys()
_ANSWER = 200
"""Rows after the first of an answer among which its others are looked for."""


def boundary_between(transcript: Transcript, drop: Drop) -> int | None:
    """The last compaction between the two requests. The ruler knows them: nothing is decoded for this."""
    boundaries = transcript.ruler.get("boundaries", ())
    return max((one for one in boundaries if drop.previous.position < one < drop.call.position), default=None)


def settled_drop(transcript: Transcript, drop: Drop, reader: Reader) -> tuple[Drop, Answer, Answer] | None:
    """The drop, and what the two answers say; None if it is none, once it is clear what each pass counted."""
    before, answer = _answer(transcript, drop.previous, reader), _answer(transcript, drop.call, reader)
    found = settled(drop, before, answer)
    return (found, before, answer) if fell(found.previous.read, found.call.read) else None


def evidence_of(
    transcript: Transcript, drop: Drop, answers: tuple[Answer, Answer], calls: Sequence[Call], reader: Reader
) -> Evidence:
    """`calls`: those of the same source before this one, in order."""
    previous, current = pair_of(transcript, _point(drop.previous), _point(drop.call), reader)
    reach = _within_reach(drop, current, calls)
    earlier = _returned_to(drop, calls)
    then = None if earlier is None else pair_of(transcript, _point(earlier), _point(drop.call), reader)[0]
    return Evidence(previous, current, *answers, _events(transcript, drop), reach, then)


def _point(call: Call) -> ContextPoint:
    return ContextPoint(call.position, None, call.message_id)


def _within_reach(drop: Drop, current: Context, calls: Sequence[Call]) -> int | None:
    """What the latest request on the way to this one had in the cache, if that is not the previous request."""
    if drop.previous.position in current.positions:
        return None
    before = [one.cached for one in calls if one.position in current.positions and one.model == drop.call.model]
    return before[-1] if before else 0


def _returned_to(drop: Drop, calls: Sequence[Call]) -> Call | None:
    if not drop.call.read:
        return None
    same = (one for one in calls if one.cached == drop.call.read and one.model == drop.call.model)
    return next((one for one in same if one.position != drop.previous.position), None)


def _answer(transcript: Transcript, call: Call, reader: Reader) -> Answer:
    first = transcript.pk << POSITION_BITS | call.position
    rows = Entry.objects.filter(id__gte=first, id__lt=first + _ANSWER, message_key=key_of(call.message_id))
    answer = Answer()
    for row in rows.order_by("id").only("id", "offset", "length"):
        answer = answer.with_record(reader.record(row.offset, row.length), row.position)
    return answer


def _events(transcript: Transcript, drop: Drop) -> tuple[Event, ...]:
    base = transcript.pk << POSITION_BITS
    rows = Entry.objects.filter(id__gt=base | drop.previous.position, id__lt=base | drop.call.position)
    found = rows.exclude(type__in=("user", "assistant")).order_by("id").values_list("id", "type", "detail")
    events = []
    for pk, kind, detail in found:
        name = detail if detail in _KINDS else kind
        if name in _KINDS:
            events.append(Event(name, pk & POSITION_MASK))
    return tuple(events)
