"""Collects the evidence for a drop: the two requests and what is between them. Decodes little else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compaction.cache.engine.causes.evidence import (
    CLEARING_KINDS,
    COLLAPSE_KINDS,
    HINT_SENTENCES,
    Answer,
    CacheEvent,
    Evidence,
    measure_single_pass,
)
from compaction.cache.engine.requests.calls import Call, Drop, has_dropped
from compaction.cache.selectors.client_states import state_of
from sessions.archive.selectors.records import Reader
from sessions.context.engine import Context, Exactness
from sessions.context.engine.request_log import element_of, origins_of
from sessions.context.selectors.contexts import ContextPoint, load_context
from sessions.models import Entry, Request, Transcript
from sessions.transcripts.engine.entry_ids import POSITION_BITS, POSITION_MASK
from sessions.transcripts.engine.keys import key_of

_MOST_FILES = 4
"""The most other files that are searched for a request."""
_EVENT_KINDS = CLEARING_KINDS | COLLAPSE_KINDS | HINT_SENTENCES.keys()
_ANSWER_ROWS = 200
"""How many rows after the first row of an answer are searched for its other rows."""


def boundary_between(transcript: Transcript, drop: Drop) -> int | None:
    """The last compaction between the two requests. The ruler of the transcript has them, so nothing is decoded."""
    boundaries = transcript.ruler.get("boundaries", ())
    return max(
        (boundary for boundary in boundaries if drop.previous.position < boundary < drop.call.position), default=None
    )


def confirm_drop(transcript: Transcript, drop: Drop, reader: Reader) -> tuple[Drop, Answer, Answer] | None:
    """The drop and the two answers; None if a comparison of single passes shows no drop."""
    previous_answer, answer = _answer(transcript, drop.previous, reader), _answer(transcript, drop.call, reader)
    confirmed = measure_single_pass(drop, previous_answer, answer)
    return (confirmed, previous_answer, answer) if has_dropped(confirmed.previous.read, confirmed.call.read) else None


def evidence_of(
    transcript: Transcript, drop: Drop, answers: tuple[Answer, Answer], calls: Sequence[Call], reader: Reader
) -> Evidence:
    """`calls`: the earlier ones of the same source, in order."""
    previous, current = contexts_of(transcript, _point(drop.previous), _point(drop.call), reader)
    reachable = _reachable_tokens(drop, current, calls)
    earlier = _find_returned_to(drop, calls)
    earlier_context = (
        None if earlier is None else contexts_of(transcript, _point(earlier), _point(drop.call), reader)[0]
    )
    states = [state_of(transcript, context, reader) for context in (previous, current)]
    return Evidence(previous, current, *answers, _events(transcript, drop), reachable, earlier_context, *states)


def _point(call: Call) -> ContextPoint:
    return ContextPoint(call.position, None, call.message_id)


def _reachable_tokens(drop: Drop, current: Context, calls: Sequence[Call]) -> int | None:
    """What the latest request in the current context had in the cache; None if that is the previous request."""
    if drop.previous.position in current.positions:
        return None
    cached = [call.cached for call in calls if call.position in current.positions and call.model == drop.call.model]
    return cached[-1] if cached else 0


def _find_returned_to(drop: Drop, calls: Sequence[Call]) -> Call | None:
    if not drop.call.read:
        return None
    candidates = (call for call in calls if call.cached == drop.call.read and call.model == drop.call.model)
    return next((call for call in candidates if call.position != drop.previous.position), None)


def _answer(transcript: Transcript, call: Call, reader: Reader) -> Answer:
    first = transcript.pk << POSITION_BITS | call.position
    rows = Entry.objects.filter(id__gte=first, id__lt=first + _ANSWER_ROWS, message_key=key_of(call.message_id))
    answer = Answer()
    for row in rows.order_by("id").only("id", "offset", "length"):
        answer = answer.with_record(reader.record(row.offset, row.length), row.position)
    return answer


def _events(transcript: Transcript, drop: Drop) -> tuple[CacheEvent, ...]:
    base = transcript.pk << POSITION_BITS
    rows = Entry.objects.filter(id__gt=base | drop.previous.position, id__lt=base | drop.call.position)
    values = rows.exclude(type__in=("user", "assistant")).order_by("id").values_list("id", "type", "detail")
    events = []
    for pk, kind, detail in values:
        name = detail if detail in _EVENT_KINDS else kind
        if name in _EVENT_KINDS:
            events.append(CacheEvent(name, pk & POSITION_MASK))
    return tuple(events)


def contexts_of(
    transcript: Transcript, previous: ContextPoint, current: ContextPoint, reader: Reader
) -> tuple[Context, Context]:
    """A fork repeats the answers of the session that it continues, but not the log of its requests. So if only one of
    the two is recorded here, the file that the other was sent from may have it."""
    old, new = load_context(transcript, previous, reader), load_context(transcript, current, reader)
    if old.exactness is Exactness.RECONSTRUCTED and new.exactness is Exactness.RECORDED:
        old = _find_elsewhere(transcript, old) or old
    return old, new


def _find_elsewhere(transcript: Transcript, context: Context) -> Context | None:
    """The same request from the log of another file; its blocks still come from the records of this file."""
    requests = Request.objects.filter(message_key=key_of(context.request), message_id=context.request)
    others = requests.exclude(transcript=transcript).order_by("-owned", "pk").select_related("transcript")
    for other in others[:_MOST_FILES]:
        elsewhere = load_context(other.transcript, ContextPoint(other.position, None, context.request))
        if elsewhere.recorded is None:
            continue
        origins = origins_of(context.elements)
        contents = ([dict(piece.block) for piece in element.pieces] for element in elsewhere.recorded)
        sent = zip(elsewhere.recorded, contents, strict=True)
        recorded = tuple(element_of({"role": element.role, "content": blocks}, origins) for element, blocks in sent)
        logged = None if elsewhere.logged is None else replace(elsewhere.logged, position=context.position)
        return replace(context, recorded=recorded, logged=logged, setup=elsewhere.setup, captured=elsewhere.captured)
    return None
