"""Reads which messages are pinned."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from compaction.models import Pin
from sessions.context.engine import Context
from sessions.context.engine.rendering.records import render_record
from sessions.linking.selectors import LinkRows
from sessions.models import Entry, Transcript
from sessions.transcripts.engine.entry_ids import POSITION_BITS, POSITION_MASK
from sessions.transcripts.engine.keys import key_of
from sessions.transcripts.engine.messages import Message


def pinned_uuids(transcript: Transcript) -> tuple[str, ...]:
    """In the order in which they were pinned."""
    return tuple(Pin.objects.filter(transcript=transcript).order_by("pk").values_list("uuid", flat=True))


def pinned_elsewhere(transcript: Transcript, context: Context, pinned: Collection[str]) -> tuple[Message, ...]:
    """Those of the pinned messages that had left the context, in the order of the session."""
    absent = set(pinned) - {message.uuid for message in context.messages}
    return tuple(_messages_before(transcript, context.position, absent)) if absent else ()


def _messages_before(transcript: Transcript, position: int, uuids: Collection[str]) -> Iterator[Message]:
    links = LinkRows(transcript.pk, transcript.source_id)
    first = transcript.pk << POSITION_BITS
    entries = Entry.objects.filter(pk__gte=first, pk__lt=first | position, uuid_key__in=map(key_of, uuids))
    for key in entries.order_by("pk").values_list("pk", flat=True):
        for row in links.load(key & POSITION_MASK, (key & POSITION_MASK) + 1):
            rendered = render_record(links.record(row.position), row)
            if rendered is not None and rendered.message.uuid in uuids:
                yield rendered.message
