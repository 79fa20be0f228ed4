"""The summary of one compaction, traced to the messages that it stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import F, QuerySet
from django.http import Http404

from compaction.kinds.selectors import CompactionMissingError, compaction_get, load_stored_context
from compaction.models import Compaction
from compaction.trail.engine import Event, Place, places_at
from compaction.trail.engine.attribution import attribute
from compaction.trail.engine.attribution.presentation import ShownSummary, shown
from compaction.trail.engine.event import COLLAPSE
from compaction.trail.selectors.trail import marks_told
from sessions.archive.selectors.records import Reader
from sessions.context.selectors.contexts import ContextPoint, load_context
from sessions.linking.engine.raw_fields import key
from sessions.models import Entry, Transcript
from sessions.secrets.engine import mask
from sessions.timeline.selectors.entries import find_entry
from sessions.transcripts.engine.entry_ids import POSITION_BITS, POSITION_MASK
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.messages import Message
from sessions.transcripts.engine.rows import Row

MADE = "run-"
SHOWN_NAME = 80
_SUMMARY, _BOUNDARY, _SIDECHAIN = int(Flag.SUMMARY), int(Flag.BOUNDARY), int(Flag.SIDECHAIN)


@dataclass(frozen=True, slots=True)
class Told:
    transcript: Transcript
    """The one that was asked for, or its sub-agent that the record belongs to."""
    summary: ShownSummary
    title: str
    event: Event | None = None
    made: Compaction | None = None


def summary_told(transcript: Transcript, name: str) -> Told:
    """By the address of a record, or `run-<number>` of what was made here."""
    if name.startswith(MADE):
        return _made(transcript, name)
    reader = Reader(transcript.source_id)
    owner, entry = find_entry(transcript, name, reader)
    reader = reader if owner.pk == transcript.pk else Reader(owner.source_id)
    event = _event(owner, entry, reader)
    if not event.text:
        raise Http404(f"The entry {name[:SHOWN_NAME]} has left no summary.")
    context = load_context(owner, _before(owner, entry, event), reader)
    return Told(owner, _traced(event.text, _replaced(owner, event, context.messages)), event.how.value, event)


def _made(transcript: Transcript, name: str) -> Told:
    try:
        row = compaction_get(name.removeprefix(MADE))
    except CompactionMissingError as error:
        raise Http404(str(error)) from error
    if transcript.pk not in (row.transcript_id, row.transcript.parent_id):
        raise Http404(f"{name[:SHOWN_NAME]} has compacted another session.")
    if not row.summary:
        raise Http404(f"{name[:SHOWN_NAME]} has written no summary.")
    context = load_context(row.transcript, ContextPoint(row.position, row.link))
    after = {message.uuid for message in load_stored_context(row).after}
    gone = [message for message in context.messages if message.uuid not in after]
    return Told(row.transcript, _traced(row.summary, gone), f"{row.kind} compaction made here", made=row)


def _traced(text: str, messages: list[Message]) -> ShownSummary:
    # Masked as a whole: a secret must not show because a sentence ends in it.
    return shown(attribute(mask(text), messages), messages)


def _replaced(transcript: Transcript, event: Event, messages: tuple[Message, ...]) -> list[Message]:
    """Those that the summary stands for: what was kept beside it was not shown to its writer."""
    positions = [message.position for message in messages if message.position is not None]
    places = places_at(event.position, positions, marks_told(transcript))
    return [message for message in messages if places.get(message.position or 0) is not Place.KEPT]


def _event(transcript: Transcript, entry: Entry, reader: Reader) -> Event:
    if entry.type == COLLAPSE:
        return Event(_row(entry, reader))
    if entry.flags & _SUMMARY:
        return Event(_row(entry, reader), _row(entry, reader))
    if not entry.flags & _BOUNDARY:
        raise Http404("The entry is no compaction with a summary.")
    found = _rows(transcript, _SUMMARY | _BOUNDARY).filter(pk__gt=entry.pk, bits__gt=0).order_by("pk").first()
    summary = found if found is not None and found.flags & _SUMMARY else None
    return Event(_row(entry, reader), _row(summary, reader) if summary else None)


def _rows(transcript: Transcript, flags: int) -> QuerySet[Any]:
    """The entries, each with `bits`: those of these flags that it has."""
    base = transcript.pk << POSITION_BITS
    return Entry.objects.filter(pk__gte=base, pk__lte=base | POSITION_MASK).annotate(bits=F("flags").bitand(flags))


def _row(entry: Entry, reader: Reader) -> Row:
    record = reader.record(entry.offset, entry.length)
    flags = Flag(entry.flags)
    return Row(
        entry.position, entry.offset, entry.length, entry.type, entry.detail, entry.at, entry.turn, flags, record
    )


def _before(transcript: Transcript, entry: Entry, event: Event) -> ContextPoint:
    """What would have been sent without it. What it names may be missing: then the last words count."""
    earlier = _rows(transcript, _SIDECHAIN).filter(pk__lt=entry.pk, uuid_key__isnull=False)
    named = [link for link in (key(event.row.record.get("logicalParentUuid")), entry.parent_key) if link is not None]
    there = set(earlier.filter(uuid_key__in=named).values_list("uuid_key", flat=True)) if named else set()
    link = next((one for one in named if one in there), None)
    if link is None:
        spoken = earlier.filter(bits=0, type__in=("user", "assistant")).order_by("-pk")
        link = spoken.values_list("uuid_key", flat=True).first()
    return ContextPoint(entry.position, link)
