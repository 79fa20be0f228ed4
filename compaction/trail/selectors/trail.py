"""The compactions that a session recorded, in order, each with its numbers and what is left of the user's words.

Always eight queries. Only the compactions of a page are decoded, and the user's words are read up to a limit."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from compaction.trail.engine import (
    CompactionEvent,
    CompactionStart,
    EventKind,
    Link,
    Loop,
    PromptState,
    QuoteCounts,
    RefusedRequest,
    SummaryQuotes,
    events_of,
    loops_of,
    prompt_states,
    searchable_words,
)
from compaction.trail.engine.event import COLLAPSE_TYPE, EDIT_DETAILS
from compaction.trail.engine.user_quotes import RESULT_FATES
from compaction.trail.selectors.links import (
    Answer,
    Unanswered,
    explain_start,
    links_of,
    load_answers,
    load_unanswered,
    refused_request,
    unanswered_before,
    unanswered_text,
)
from inspector.web.paging import Page, page_of
from sessions.archive.engine.frames import block_numbers
from sessions.archive.selectors.records import Reader
from sessions.context.selectors.contexts import ContextPoint
from sessions.models import Mark as StoredMark
from sessions.models import Transcript
from sessions.secrets.engine import mask
from sessions.text.engine.words import tokens
from sessions.timeline.engine.cards.records.bars import summary_text, summary_weight
from sessions.timeline.engine.cards.records.user import queued_prompt
from sessions.timeline.engine.cards.safe_get import joined_text
from sessions.transcripts.engine.entry_ids import POSITION_BITS, POSITION_MASK
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.marks import Fate, Mark
from sessions.transcripts.engine.rows import ENTRY_COLUMNS, EntryRow, Record, make_row
from sessions.usage.engine.tokens import shows_usual_window
from sessions.weights.engine import Basis, BoundarySize, PromptSize, Weight
from sessions.weights.engine.prompt_size import MESSAGES_ONLY, WHOLE_PROMPT
from sessions.weights.selectors import weight_table

PAGE_SIZE = 25
MOST_BLOCKS = 128
"""The most archive blocks that are decompressed for the words of the user: 64 MiB of the file."""
MOST_ERROR_CHARACTERS = 200

_SEARCHED = int(Flag.BOUNDARY | Flag.SUMMARY)
_TYPED, _SIDECHAIN, _DUPLICATE = int(Flag.TYPED), int(Flag.SIDECHAIN), int(Flag.DUPLICATE)


@dataclass(frozen=True, slots=True)
class ContextSize:
    """The tokens of a context, and where the number comes from."""

    weight: Weight
    of: str
    """The whole prompt, or messages only."""
    source: str
    position: int
    """The record that it comes from."""
    point: str = ""
    """What the prompt is called wherever its size is shown; empty for what the client only estimated."""

    @property
    def tokens(self) -> float:
        return self.weight.tokens

    @property
    def thing(self) -> str:
        return f"{self.of} {self.point}" if self.point else ""


@dataclass(frozen=True, slots=True)
class TrailStep:
    """One compaction."""

    number: int
    event: CompactionEvent
    sentence: str
    before: ContextSize | None
    after: ContextSize | None
    quotes: QuoteCounts | None
    start: CompactionStart | None = None
    """What started it; None of an edit."""
    link: Link | None = None
    """How it follows the one before it; None of an edit."""
    is_abandoned: bool = False
    """It is on a branch that the session went back from."""
    size: BoundarySize | None = None
    """As it was measured."""

    @property
    def kind(self) -> EventKind:
        return self.event.kind

    @property
    def summary(self) -> Weight | None:
        return summary_weight(self.event.text, self.size)


@dataclass(frozen=True, slots=True)
class Trail:
    steps: tuple[TrailStep, ...]
    """Those of the page, in the order of the file."""
    page: Page
    compactions: int = 0
    """On all pages."""
    loops: tuple[Loop, ...] = ()
    """On all pages."""
    decoded: int = 0
    """Raw bytes that were decompressed."""
    damage: dict[str, Transcript] = field(default_factory=dict)
    """What could not be read -> the transcript that it belongs to."""

    @property
    def edits(self) -> int:
        return self.page.total - self.compactions


def trail_of(transcript: Transcript, page: int | None = None) -> Trail:
    """`page`: the last one by default."""
    rows = _event_rows(transcript)
    answers = load_answers(transcript)
    events = events_of([make_row(row, {}) for row in rows], [answer.position for answer in answers])
    page_range = page_of(page or len(events), size=PAGE_SIZE, total=len(events))
    if not events:
        return Trail((), page_range)
    page_events = events[page_range.start : page_range.stop]
    prompts = _prompt_locations(transcript, page_events[-1].position)
    unanswered = load_unanswered(transcript)
    open_requests = {
        event.position: unanswered_before(event.position, answers, unanswered)
        for event in page_events
        if event.is_compaction
    }
    event_records = [
        (row.offset, row.length) for event in page_events for row in (event.row, event.summary) if row is not None
    ]
    blocks = {number for location in prompts.values() for number in block_numbers(*location)}
    is_readable = len(blocks) <= MOST_BLOCKS
    reader = Reader(transcript.source_id)
    errors = [(record.offset, record.length) for each in open_requests.values() for record in each if record.is_error]
    reader.fetch([*event_records, *errors, *(prompts.values() if is_readable else ())])
    marks = load_marks(transcript)
    records = _RecordReader(reader)
    words = (
        {position: _prompt_words(records.record(*location)) for position, location in prompts.items()}
        if is_readable
        else {}
    )
    if records.damage:
        words = {}  # nobody can say whether an unreadable message is quoted
    boundaries = [event.position for event in events if event.is_compaction]
    links = links_of(boundaries, answers)
    refused = {position: refused_request(each, records.error) for position, each in open_requests.items()}
    builder = _StepBuilder(transcript, answers, marks, tuple(prompts), words, boundaries, links, refused)
    steps = [
        builder.step(number, _load_records(event, records))
        for number, event in enumerate(page_events, page_range.start + 1)
    ]
    damage = dict.fromkeys(records.damage, transcript)
    return Trail(tuple(steps), page_range, len(boundaries), tuple(loops_of(links)), reader.decoded, damage=damage)


class _StepBuilder:
    """Makes the steps of a trail from its events and what is known of the session around them."""

    def __init__(
        self,
        transcript: Transcript,
        answers: Sequence[Answer],
        marks: Sequence[Mark],
        prompts: Sequence[int],
        words: dict[int, str],
        boundaries: Sequence[int],
        links: Sequence[Link],
        refused: dict[int, RefusedRequest | None],
    ) -> None:
        self._transcript = transcript
        self._table = weight_table(transcript)
        self._answers = answers
        self._answer_positions = [answer.position for answer in answers]
        self._marks = marks
        self._prompts = prompts
        self._words = words
        self._boundaries = boundaries
        self._links = dict(zip(boundaries, links, strict=True))
        self._refused = refused

    def step(self, number: int, event: CompactionEvent) -> TrailStep:
        is_abandoned = any(
            mark.fate is Fate.ABANDONED and mark.first <= event.position <= mark.last for mark in self._marks
        )
        quotes = self._count_quotes(event) if event.is_compaction and not is_abandoned else None
        size = self._table.boundary(event.position)
        before, after = self._before(event, size), self._after(event, size)
        return TrailStep(
            number,
            event,
            event.card(mask, size).summary,
            before,
            after,
            quotes,
            self._start(event, before) if event.is_compaction else None,
            self._links.get(event.position),
            is_abandoned,
            size,
        )

    def _start(self, event: CompactionEvent, before: ContextSize | None) -> CompactionStart:
        # The client decides by its own count, if it recorded that.
        recorded = event.tokens_before
        size = recorded if recorded is not None or before is None else before.tokens
        automatic = [] if size is None else [size]
        largest = max((answer.prompt for answer in self._answers), default=0)
        # Until the session is measured, each compaction is its own evidence.
        is_usual = self._table.has_usual_window or (not self._table.requests and shows_usual_window(automatic, largest))
        return explain_start(event, size, self._answers, self._refused.get(event.position), is_usual=is_usual)

    def _before(self, event: CompactionEvent, size: BoundarySize | None) -> ContextSize | None:
        if size is not None:
            return self._measured_size(event, size.before, event.position, size.link, event.tokens_before)
        if event.tokens_before is not None:
            return _recorded(event.tokens_before, WHOLE_PROMPT, event)
        index = bisect_left(self._answer_positions, event.position) - 1
        if not event.is_compaction or index < 0:
            return None
        last = self._answers[index]
        weight = Weight(last.prompt + last.output, Basis.ESTIMATED)
        return ContextSize(weight, WHOLE_PROMPT, "the API counted it in the request before", last.position)

    def _measured_size(
        self, event: CompactionEvent, size: PromptSize, position: int, link: int | None, recorded: float | None
    ) -> ContextSize:
        source = "measured by the API’s counts of the requests before"
        if recorded is not None:
            source += f"; the client recorded {tokens(recorded)}"
        point = ContextPoint(position, link).name(self._transcript)
        return ContextSize(size.weight, size.of, source, event.position, point)

    def _after(self, event: CompactionEvent, size: BoundarySize | None) -> ContextSize | None:
        """The API's count is better than the client's estimate: it includes system prompt and tools."""
        if size is not None and size.after is not None:
            return self._measured_size(event, size.after, event.position + 1, size.after_link, event.tokens_after)
        index = bisect_left(self._answer_positions, event.position)
        next_boundary = bisect_right(self._boundaries, event.position)
        end = self._boundaries[next_boundary] if next_boundary < len(self._boundaries) else POSITION_MASK
        if event.is_compaction and index < len(self._answers) and self._answer_positions[index] < end:
            source = "the API counted it in the first request after"
            if event.tokens_after is not None:
                source += f"; without system prompt and tools the client expected {tokens(event.tokens_after)}"
            answer = self._answers[index]
            weight = Weight(answer.prompt, Basis.MEASURED)
            point = ContextPoint(answer.position, None, answer.request).name(self._transcript)
            return ContextSize(weight, WHOLE_PROMPT, source, answer.position, point)
        if event.tokens_after is not None:
            return _recorded(event.tokens_after, MESSAGES_ONLY if event.is_compaction else WHOLE_PROMPT, event)
        return None

    def _count_quotes(self, event: CompactionEvent) -> QuoteCounts:
        states = prompt_states(event.position, self._prompts, self._marks)
        kept = sum(state is PromptState.KEPT for state in states.values())
        summarised = [position for position, state in states.items() if state is PromptState.SUMMARISED]
        if summarised and not self._words:
            return QuoteCounts(len(states), kept, None)
        quotes = SummaryQuotes(event.text)
        return QuoteCounts(len(states), kept, sum(quotes.holds(self._words[position]) for position in summarised))


def _recorded(count: float, of: str, event: CompactionEvent) -> ContextSize:
    return ContextSize(Weight(count, Basis.ESTIMATED), of, "the client recorded it", event.position)


def _event_rows(transcript: Transcript) -> list[EntryRow]:
    names = ", ".join(f"'{name}'" for name in EDIT_DETAILS)
    return _select(
        transcript,
        f"((flags & {_SEARCHED}) != 0 OR (type = 'system' AND detail IN ({names})) OR type = '{COLLAPSE_TYPE}')",
    )


def _prompt_locations(transcript: Transcript, before: int) -> dict[int, tuple[int, int]]:
    """Position -> offset and length of the user's messages."""
    rows = _select(transcript, f"(flags & {_TYPED}) != 0", before)
    return {row.position: (row.offset, row.length) for row in rows}


def _select(transcript: Transcript, where: str, before: int = POSITION_MASK) -> list[EntryRow]:
    """Leaves out sub-agents that were written into the session's file: they have a context of their own."""
    base = transcript.pk << POSITION_BITS
    excluded = _DUPLICATE | _SIDECHAIN if transcript.kind == Transcript.Kind.MAIN else _DUPLICATE
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {ENTRY_COLUMNS} FROM transcripts_entry WHERE id >= %s AND id < %s AND (flags & {excluded}) = 0"
            f" AND {where} ORDER BY id",
            [base, base | before],
        )
        return list(map(EntryRow._make, cursor.fetchall()))


def load_marks(transcript: Transcript) -> list[Mark]:
    """The fates of the entries, without those of cleared or spilled results."""
    marks = StoredMark.objects.filter(transcript=transcript).exclude(fate__in=RESULT_FATES)
    rows = marks.values_list("first", "last", "fate", "by")
    return [Mark(first, last, Fate(fate), by) for first, last, fate, by in rows]


@dataclass(slots=True)
class _RecordReader:
    """Reads records, and collects the damage instead of failing, so that a page can show all others."""

    reader: Reader
    damage: dict[str, None] = field(default_factory=dict)

    def record(self, offset: int, length: int) -> Record:
        record, error = self.reader.try_record(offset, length)
        if error:
            self.damage[error] = None
        return record

    def error(self, unanswered: Unanswered) -> str:
        """The API's words."""
        return mask(unanswered_text(self.reader, unanswered)[:MOST_ERROR_CHARACTERS])


def _load_records(event: CompactionEvent, records: _RecordReader) -> CompactionEvent:
    """The event with its records."""
    row = replace(event.row, record=records.record(event.row.offset, event.row.length))
    if event.summary is None or event.summary is event.row:
        return CompactionEvent(row, row if event.summary is not None else None)
    summary = event.summary
    return CompactionEvent(row, replace(summary, record=records.record(summary.offset, summary.length)))


def _prompt_words(record: dict[str, Any]) -> str:
    prompt = queued_prompt(record)
    return searchable_words(joined_text(prompt) if prompt is not None else summary_text(record))


def compacted_subagents(session: Transcript) -> QuerySet[Transcript]:
    """Sub-agents of the session that have compactions of their own."""
    subagents = Transcript.objects.filter(parent=session, compactions__gt=0).order_by("first_at", "pk")
    return subagents.only("public_id", "title", "first_prompt", "agent_id", "kind", "meta", "compactions", "first_at")
