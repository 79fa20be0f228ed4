"""How the compactions of a session follow each other, and what started each: from the counts of its requests."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db import connection
from django.db.models import Max

from compaction.trail.engine import CompactionEvent, CompactionStart, Link, RefusedRequest, start_of
from sessions.archive.selectors.records import Reader
from sessions.models import Request, Transcript
from sessions.timeline.engine.cards.records.bars import summary_text
from sessions.transcripts.engine.entry_ids import POSITION_BITS, POSITION_MASK
from sessions.transcripts.engine.flags import Flag
from sessions.usage.engine.tokens import context_window, window_in_use
from sessions.usage.engine.too_long import read_too_long

_ERROR, _SIDECHAIN = int(Flag.ERROR), int(Flag.SIDECHAIN)


@dataclass(frozen=True, slots=True)
class Answer:
    position: int
    model: str
    prompt: int
    output: int
    request: str


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A record of a request without an answer: one that was logged, or an error of the API."""

    position: int
    offset: int
    length: int
    is_error: bool


def load_answers(transcript: Transcript) -> list[Answer]:
    own = "" if transcript.kind != Transcript.Kind.MAIN else "AND agent = ''"
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT position, model, input + cache_read + cache_write_5m + cache_write_1h, output, message_id"
            f" FROM transcripts_request WHERE transcript_id = %s {own} ORDER BY position",
            [transcript.pk],
        )
        return [Answer(*row) for row in cursor.fetchall()]


def load_unanswered(transcript: Transcript, after: int = -1, before: int = POSITION_MASK) -> list[Unanswered]:
    base = transcript.pk << POSITION_BITS
    with connection.cursor() as cursor:
        cursor.execute(
            'SELECT id, "offset", length, type FROM transcripts_entry WHERE id >= %s AND id < %s'
            f" AND (flags & {_SIDECHAIN}) = 0"
            f" AND (type = 'api-request' OR (type = 'assistant' AND (flags & {_ERROR}) != 0)) ORDER BY id",
            [base + after + 1, base | before],
        )
        return [
            Unanswered(key & POSITION_MASK, offset, length, kind == "assistant")
            for key, offset, length, kind in cursor.fetchall()
        ]


def links_of(positions: Sequence[int], answers: Sequence[Answer]) -> list[Link]:
    """`positions` of the compactions, ascending."""
    places = [answer.position for answer in answers]
    links = []
    start = 0
    for number, position in enumerate(positions, 1):
        index = bisect_left(places, position)
        following = positions[number] if number < len(positions) else POSITION_MASK
        last = answers[index - 1] if index > start else None
        first = answers[index] if index < len(answers) and places[index] < following else None
        links.append(
            Link(number, index - start, last.prompt + last.output if last else None, first.prompt if first else None)
        )
        start = index
    return links


def unanswered_before(position: int, answers: Sequence[Answer], unanswered: Sequence[Unanswered]) -> list[Unanswered]:
    """Those between the last answer and the boundary."""
    places = [answer.position for answer in answers]
    index = bisect_left(places, position)
    since = places[index - 1] if index else -1
    return [record for record in unanswered if since < record.position < position]


def refused_request(records: Sequence[Unanswered], error_of: Callable[[Unanswered], str]) -> RefusedRequest | None:
    """The last request before the boundary, if it was refused as too long or nobody recorded what became of it."""
    last = records[-1] if records else None
    if last is None or not last.is_error:
        return RefusedRequest(last.position) if last else None
    error = error_of(last)
    return RefusedRequest(last.position, error) if read_too_long(error) else None


def unanswered_text(reader: Reader, unanswered: Unanswered) -> str:
    """The text of an API error; empty if it cannot be read."""
    record, _ = reader.try_record(unanswered.offset, unanswered.length)
    return " ".join(summary_text(record).split())


def last_refusal(transcript: Transcript, position: int) -> str:
    """The error with which the API refused the latest request before this entry as too long; empty if it did not."""
    answered = Request.objects.filter(transcript=transcript, agent="", position__lt=position)
    since = answered.aggregate(last=Max("position"))["last"]
    errors = [
        record for record in load_unanswered(transcript, -1 if since is None else since, position) if record.is_error
    ]
    reader = Reader(transcript.source_id)
    refused = refused_request(errors, lambda record: unanswered_text(reader, record))
    return refused.error if refused is not None else ""


def explain_start(
    event: CompactionEvent,
    tokens_before: float | None,
    answers: Sequence[Answer],
    refused: RefusedRequest | None,
    *,
    is_usual: bool,
) -> CompactionStart:
    """`is_usual`: the session shows that its client used the usual window."""
    index = bisect_left([answer.position for answer in answers], event.position)
    model = answers[index - 1].model if index else ""
    window = window_in_use(context_window(model or None), is_usual=is_usual)
    return start_of(event, tokens_before, window, refused)
