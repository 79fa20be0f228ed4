"""Measures what compactions and smaller edits did, for pages that list many of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from django.db.models import F, Q

from inspector.runs.services import ActiveRun
from sessions.context.selectors.boundaries import point_after_edit, point_before
from sessions.context.selectors.contexts import ContextPoint, load_context, point_next
from sessions.context.selectors.steps import Step, load_steps, locate_steps
from sessions.linking.engine.raw_fields import mapping
from sessions.linking.selectors import LinkRows
from sessions.models import Entry, Transcript
from sessions.transcripts.engine.entry_ids import POSITION_BITS, POSITION_MASK
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.messages import MessageKind
from sessions.weights.engine import BoundarySize, PromptSize, Weight, WeightTable
from sessions.weights.selectors import message_weights

_COMPACTION = int(Flag.BOUNDARY | Flag.SUMMARY)
_EDITS = ("microcompact_boundary", "snip_boundary", "snip-boundary")
_COLLAPSE = "marble-origami-commit"


def measure_boundaries(transcript: Transcript, table: WeightTable, active: ActiveRun | None) -> Iterator[BoundarySize]:
    entries = list(_entries(transcript))
    steps = locate_steps(load_steps(transcript), transcript).steps if entries else ()
    for entry in entries:
        if active is not None:
            active.check()
        yield _measure(transcript, entry, table, steps)


def _entries(transcript: Transcript) -> Iterable[Entry]:
    base = transcript.pk << POSITION_BITS
    entries = Entry.objects.annotate(bits=F("flags").bitand(_COMPACTION))
    kinds = Q(bits__gt=0) | Q(type="system", detail__in=_EDITS) | Q(type=_COLLAPSE)
    return entries.filter(kinds, pk__range=(base, base | POSITION_MASK)).order_by("pk")


def _measure(transcript: Transcript, entry: Entry, table: WeightTable, steps: Sequence[Step]) -> BoundarySize:
    links = LinkRows(transcript.pk, transcript.source_id)
    record = links.reader.record(entry.offset, entry.length)
    before = point_before(transcript, entry, record)
    size = _size(transcript, before, table, links)
    if not entry.flags & _COMPACTION:
        after = point_after_edit(transcript, entry)
        return BoundarySize(entry.position, before.link, size, after.link, _size(transcript, after, table, links), None)
    step = next((step for step in steps if step.position > entry.position), None)
    summary = _weigh_summary(transcript, table, step, links)
    is_automatic = mapping(record.get("compactMetadata")).get("trigger") == "auto"
    return BoundarySize(entry.position, before.link, size, None, None, summary, is_automatic)


def _size(transcript: Transcript, point: ContextPoint, table: WeightTable, links: LinkRows) -> PromptSize:
    return message_weights(load_context(transcript, point, links=links), table).context


def _weigh_summary(transcript: Transcript, table: WeightTable, step: Step | None, links: LinkRows) -> Weight | None:
    """As it was sent first; as it would be, if no request came after it."""
    point = point_next(transcript) if step is None else step.point
    context = load_context(transcript, point, links=links)
    weights = message_weights(context, table, None if step is None else step.prompt)
    summary = next((message for message in context.messages if message.kind is MessageKind.SUMMARY), None)
    return None if summary is None else weights.message(summary)
