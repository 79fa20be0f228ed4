"""The summary of one compaction, traced to the messages that it replaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import F, QuerySet
from django.http import Http404

from compaction.kinds.selectors import CompactionMissingError, compaction_get, load_stored_context
from compaction.models import Compaction
from compaction.trail.engine import CompactionEvent, PromptState, prompt_states
from compaction.trail.engine.attribution import attribute
from compaction.trail.engine.attribution.presentation import SummaryView, summary_view
from compaction.trail.engine.event import COLLAPSE_TYPE
from compaction.trail.selectors.trail import load_marks
from sessions.archive.selectors.records import Reader
from sessions.context.selectors.boundaries import point_before
from sessions.context.selectors.contexts import ContextPoint, load_context
from sessions.models import Entry, Transcript
from sessions.secrets.engine import mask
from sessions.timeline.selectors.entries import find_entry
from sessions.transcripts.engine.entry_ids import POSITION_BITS, POSITION_MASK
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.messages import Message
from sessions.transcripts.engine.rows import Row

RUN_PREFIX = "run-"
MOST_NAME_CHARACTERS = 80
_SUMMARY, _BOUNDARY, _SIDECHAIN = int(Flag.SUMMARY), int(Flag.BOUNDARY), int(Flag.SIDECHAIN)


@dataclass(frozen=True, slots=True)
class TracedSummary:
    transcript: Transcript
    """The requested one, or its sub-agent that the record belongs to."""
    summary: SummaryView
    title: str
    event: CompactionEvent | None = None
    compaction: Compaction | None = None


def trace_summary(transcript: Transcript, name: str) -> TracedSummary:
    """`name`: the address of a record, or `run-<number>` of a compaction made here."""
    if name.startswith(RUN_PREFIX):
        return _trace_run(transcript, name)
    reader = Reader(transcript.source_id)
    owner, entry = find_entry(transcript, name, reader)
    reader = reader if owner.pk == transcript.pk else Reader(owner.source_id)
    event = _load_event(owner, entry, reader)
    if not event.text:
        raise Http404(f"The entry {name[:MOST_NAME_CHARACTERS]} has left no summary.")
    context = load_context(owner, point_before(owner, entry, event.row.record), reader)
    return TracedSummary(
        owner, _trace(event.text, _replaced_messages(owner, event, context.messages)), event.kind.value, event
    )


def _trace_run(transcript: Transcript, name: str) -> TracedSummary:
    try:
        row = compaction_get(name.removeprefix(RUN_PREFIX))
    except CompactionMissingError as error:
        raise Http404(str(error)) from error
    if transcript.pk not in (row.transcript_id, row.transcript.parent_id):
        raise Http404(f"{name[:MOST_NAME_CHARACTERS]} has compacted another session.")
    if not row.summary:
        raise Http404(f"{name[:MOST_NAME_CHARACTERS]} has written no summary.")
    context = load_context(row.transcript, ContextPoint(row.position, row.link))
    after = {message.uuid for message in load_stored_context(row).after}
    replaced = [message for message in context.messages if message.uuid not in after]
    return TracedSummary(
        row.transcript, _trace(row.summary, replaced), f"{row.kind} compaction made here", compaction=row
    )


def _trace(text: str, messages: list[Message]) -> SummaryView:
    # Masked as a whole: a secret must not become visible because a sentence ends inside it.
    return summary_view(attribute(mask(text), messages), messages)


def _replaced_messages(transcript: Transcript, event: CompactionEvent, messages: tuple[Message, ...]) -> list[Message]:
    """The messages that the summary replaces. Kept messages were not shown to the model that wrote it."""
    positions = [message.position for message in messages if message.position is not None]
    states = prompt_states(event.position, positions, load_marks(transcript))
    return [message for message in messages if states.get(message.position or 0) is not PromptState.KEPT]


def _load_event(transcript: Transcript, entry: Entry, reader: Reader) -> CompactionEvent:
    if entry.type == COLLAPSE_TYPE:
        return CompactionEvent(_load_row(entry, reader))
    if entry.flags & _SUMMARY:
        return CompactionEvent(_load_row(entry, reader), _load_row(entry, reader))
    if not entry.flags & _BOUNDARY:
        raise Http404("The entry is no compaction with a summary.")
    next_entry = (
        _entries_with_bits(transcript, _SUMMARY | _BOUNDARY).filter(pk__gt=entry.pk, bits__gt=0).order_by("pk").first()
    )
    summary = next_entry if next_entry is not None and next_entry.flags & _SUMMARY else None
    return CompactionEvent(_load_row(entry, reader), _load_row(summary, reader) if summary else None)


def _entries_with_bits(transcript: Transcript, flags: int) -> QuerySet[Any]:
    """The entries, each with `bits`: which of these flags it has."""
    base = transcript.pk << POSITION_BITS
    return Entry.objects.filter(pk__gte=base, pk__lte=base | POSITION_MASK).annotate(bits=F("flags").bitand(flags))


def _load_row(entry: Entry, reader: Reader) -> Row:
    record = reader.record(entry.offset, entry.length)
    flags = Flag(entry.flags)
    return Row(
        entry.position, entry.offset, entry.length, entry.type, entry.detail, entry.at, entry.turn, flags, record
    )
