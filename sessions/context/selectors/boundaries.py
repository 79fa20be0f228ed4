"""Where a context stands right before a compaction that the client recorded."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from django.db.models import F

from sessions.context.selectors.contexts import ContextPoint
from sessions.linking.engine.raw_fields import key
from sessions.models import Entry, Transcript
from sessions.transcripts.engine.entry_ids import POSITION_BITS
from sessions.transcripts.engine.flags import Flag

_SIDECHAIN = int(Flag.SIDECHAIN)


def point_before(
    transcript: Transcript, entry: Entry, record: Mapping[str, Any], known: Collection[int | None] = ()
) -> ContextPoint:
    """The point just before it: what would have been sent without it. What the record names need not be in the file:
    then the last words before it count. `known`: keys of rows before it that were loaded already."""
    named = [link for link in (key(record.get("logicalParentUuid")), entry.parent_key) if link is not None]
    link = next((candidate for candidate in named if candidate in known), None)
    if link is None or link != named[0]:
        first = transcript.pk << POSITION_BITS
        earlier = Entry.objects.filter(pk__gte=first, pk__lt=entry.pk, uuid_key__in=named)
        existing = set(earlier.values_list("uuid_key", flat=True)) if named else set()
        link = next((candidate for candidate in named if candidate in existing), None)
    return ContextPoint(entry.position, _last_words(transcript, entry) if link is None else link)


def point_after_edit(transcript: Transcript, entry: Entry) -> ContextPoint:
    """Right after a record that changed what is sent of others: state records hang on nothing."""
    return ContextPoint(entry.position + 1, entry.uuid_key or _last_words(transcript, entry))


def _last_words(transcript: Transcript, entry: Entry) -> int | None:
    """The key of the last record of the conversation before an entry."""
    first = transcript.pk << POSITION_BITS
    earlier = Entry.objects.filter(pk__gte=first, pk__lt=entry.pk, uuid_key__isnull=False)
    spoken = earlier.annotate(aside=F("flags").bitand(_SIDECHAIN)).filter(type__in=("user", "assistant"), aside=0)
    return spoken.order_by("-pk").values_list("uuid_key", flat=True).first()
