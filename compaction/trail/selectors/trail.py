"""The compactions that a session recorded, in order, each with its numbers and what is left of the user's words.

Six queries, however many there are. A page of them is decoded; the user's words are looked through up to a limit."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from compaction.trail.engine import (
    Event,
    How,
    Place,
    Quoting,
    Said,
    events_of,
    places_at,
    quotable,
)
from compaction.trail.engine.event import COLLAPSE, EDITS
from compaction.trail.engine.user_quotes import BESIDE
from inspector.web.paging import Page, page_of
from sessions.archive.engine.frames import block_numbers
from sessions.archive.selectors.records import Reader
from sessions.models import Mark as StoredMark
from sessions.models import Transcript
from sessions.secrets.engine import mask
from sessions.text.engine.words import tokens
from sessions.timeline.engine.cards.bars import summary_text
from sessions.timeline.engine.cards.safe_get import joined
from sessions.timeline.engine.cards.speech import prompt_of
from sessions.timeline.selectors.window import COLUMNS
from sessions.transcripts.engine.entry_ids import POSITION_BITS, POSITION_MASK
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.marks import Fate, Mark
from sessions.transcripts.engine.rows import Record, Row

PAGE = 25
BLOCKS = 128
"""Blocks of the archive that are decompressed for the words of the user: 64 MiB of the file."""
PER_TOKEN = 4
"""Characters of prose in a token, about."""

_SEARCHED = int(Flag.BOUNDARY | Flag.SUMMARY)
_TYPED, _SIDECHAIN, _DUPLICATE = int(Flag.TYPED), int(Flag.SIDECHAIN), int(Flag.DUPLICATE)


@dataclass(frozen=True, slots=True)
class Size:
    """Tokens of a context, and who says so."""

    tokens: float
    why: str
    position: int
    """Of the record that it is from."""


@dataclass(frozen=True, slots=True)
class Step:
    """One compaction."""

    number: int
    event: Event
    sentence: str
    before: Size | None
    after: Size | None
    said: Said | None
    left: bool = False
    """On a branch that the session went back from."""

    @property
    def how(self) -> How:
        return self.event.how

    @property
    def summary_tokens(self) -> float | None:
        return len(self.event.text) / PER_TOKEN if self.event.text else None


@dataclass(frozen=True, slots=True)
class Trail:
    steps: tuple[Step, ...]
    """Of the page, in the order of the file."""
    page: Page
    compactions: int = 0
    """Of all pages."""
    decoded: int = 0
    """Raw bytes that were decompressed."""
    unread: bool = False
    """The words of the user were too far apart to look through."""
    damage: dict[str, Transcript] = field(default_factory=dict)
    """What could not be read, of whose file."""

    @property
    def edits(self) -> int:
        return self.page.total - self.compactions


@dataclass(frozen=True, slots=True)
class _Answer:
    position: int
    sent: int
    output: int


_Found = tuple[Any, ...]
"""A row of COLUMNS."""


def trail_of(transcript: Transcript, page: int | None = None) -> Trail:
    """`page`: the latest, if none is named."""
    found = _found(transcript)
    answers = _answers(transcript)
    events = events_of([_row(row) for row in found], [one.position for one in answers])
    shown = page_of(page or len(events), size=PAGE, total=len(events))
    if not events:
        return Trail((), shown)
    mine = events[shown.start : shown.stop]
    typed = _typed(transcript, mine[-1].position)
    wanted = [(row.offset, row.length) for event in mine for row in (event.row, event.summary) if row is not None]
    blocks = {number for place in typed.values() for number in block_numbers(*place)}
    readable = len(blocks) <= BLOCKS
    reader = Reader(transcript.source_id)
    reader.fetch([*wanted, *(typed.values() if readable else ())])
    marks = marks_told(transcript)
    told = _Told(reader)
    words = {at: _words(told.record(*place)) for at, place in typed.items()} if readable else {}
    if told.damage:
        words = {}  # whether a message that cannot be read is quoted, nobody can tell
    boundaries = [event.position for event in events if event.summarises]
    seen = _Seen(answers, marks, tuple(typed), words, boundaries)
    steps = [seen.step(number, _read(event, told)) for number, event in enumerate(mine, shown.start + 1)]
    damage = dict.fromkeys(told.damage, transcript)
    return Trail(tuple(steps), shown, len(boundaries), reader.decoded, unread=not readable, damage=damage)


class _Seen:
    """What is known of the session around its compactions."""

    def __init__(
        self,
        answers: Sequence[_Answer],
        marks: Sequence[Mark],
        typed: Sequence[int],
        words: dict[int, str],
        boundaries: Sequence[int],
    ) -> None:
        self._answers = answers
        self._places = [answer.position for answer in answers]
        self._marks = marks
        self._typed = typed
        self._words = words
        self._boundaries = boundaries

    def step(self, number: int, event: Event) -> Step:
        left = any(m.fate is Fate.ABANDONED and m.first <= event.position <= m.last for m in self._marks)
        said = self._said(event) if event.summarises and not left else None
        return Step(number, event, event.told(mask).summary, self._before(event), self._after(event), said, left)

    def _before(self, event: Event) -> Size | None:
        if event.tokens_before is not None:
            return Size(event.tokens_before, "the client recorded it", event.position)
        at = bisect_left(self._places, event.position) - 1
        if not event.summarises or at < 0:
            return None
        last = self._answers[at]
        return Size(last.sent + last.output, "the API counted it in the request before", last.position)

    def _after(self, event: Event) -> Size | None:
        """What the API counted says more than what the client expected: it has system prompt and tools in it."""
        at = bisect_left(self._places, event.position)
        next_one = bisect_right(self._boundaries, event.position)
        end = self._boundaries[next_one] if next_one < len(self._boundaries) else POSITION_MASK
        if event.summarises and at < len(self._answers) and self._places[at] < end:
            counted = "the API counted it in the first request after"
            if event.tokens_after is not None:
                counted += f"; without system prompt and tools the client expected {tokens(event.tokens_after)}"
            return Size(self._answers[at].sent, counted, self._places[at])
        if event.tokens_after is not None:
            return Size(event.tokens_after, "the client recorded it", event.position)
        return None

    def _said(self, event: Event) -> Said:
        places = places_at(event.position, self._typed, self._marks)
        kept = sum(place is Place.KEPT for place in places.values())
        away = [position for position, place in places.items() if place is Place.AWAY]
        if away and not self._words:
            return Said(len(places), kept, None)
        quoting = Quoting(event.text)
        return Said(len(places), kept, sum(quoting.holds(self._words[position]) for position in away))


def _found(transcript: Transcript) -> list[_Found]:
    names = ", ".join(f"'{name}'" for name in EDITS)
    return _select(
        transcript,
        COLUMNS,
        f"((flags & {_SEARCHED}) != 0 OR (type = 'system' AND detail IN ({names})) OR type = '{COLLAPSE}')",
    )


def _typed(transcript: Transcript, before: int) -> dict[int, tuple[int, int]]:
    """Where the messages of the user stand."""
    rows = _select(transcript, 'id, "offset", length', f"(flags & {_TYPED}) != 0", before)
    return {row[0] & POSITION_MASK: (row[1], row[2]) for row in rows}


def _select(transcript: Transcript, columns: str, where: str, before: int = POSITION_MASK) -> list[_Found]:
    """Agents that were written into the session's file had a context of their own."""
    base = transcript.pk << POSITION_BITS
    strange = _DUPLICATE | _SIDECHAIN if transcript.kind == Transcript.Kind.MAIN else _DUPLICATE
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {columns} FROM transcripts_entry WHERE id >= %s AND id < %s AND (flags & {strange}) = 0"
            f" AND {where} ORDER BY id",
            [base, base | before],
        )
        found: list[_Found] = cursor.fetchall()
    return found


def _answers(transcript: Transcript) -> list[_Answer]:
    own = "" if transcript.kind != Transcript.Kind.MAIN else "AND agent = ''"
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT position, input + cache_read + cache_write_5m + cache_write_1h, output FROM transcripts_request"
            f" WHERE transcript_id = %s {own} ORDER BY position",
            [transcript.pk],
        )
        return [_Answer(*row) for row in cursor.fetchall()]


def marks_told(transcript: Transcript) -> list[Mark]:
    """What became of the entries, but for results that were cleared or spilled."""
    told = StoredMark.objects.filter(transcript=transcript).exclude(fate__in=BESIDE)
    rows = told.values_list("first", "last", "fate", "by")
    return [Mark(first, last, Fate(fate), by) for first, last, fate, by in rows]


def _row(found: _Found) -> Row:
    return Row(found[0] & POSITION_MASK, found[1], found[2], found[3], found[4], found[5], found[6], Flag(found[7]), {})


@dataclass(slots=True)
class _Told:
    """Records for a page that shows all the others when some are damaged."""

    reader: Reader
    damage: dict[str, None] = field(default_factory=dict)

    def record(self, offset: int, length: int) -> Record:
        record, why = self.reader.try_record(offset, length)
        if why:
            self.damage[why] = None
        return record


def _read(event: Event, told: _Told) -> Event:
    """With its records."""
    row = replace(event.row, record=told.record(event.row.offset, event.row.length))
    if event.summary is None or event.summary is event.row:
        return Event(row, row if event.summary is not None else None)
    summary = event.summary
    return Event(row, replace(summary, record=told.record(summary.offset, summary.length)))


def _words(record: dict[str, Any]) -> str:
    prompt = prompt_of(record)
    return quotable(joined(prompt) if prompt is not None else summary_text(record))


def agents_compacted(session: Transcript) -> QuerySet[Transcript]:
    """Sub-agents of the session that were compacted themselves."""
    found = Transcript.objects.filter(parent=session, compactions__gt=0).order_by("first_at", "pk")
    return found.only("public_id", "title", "first_prompt", "agent_id", "kind", "meta", "compactions", "first_at")
