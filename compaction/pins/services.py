"""Pins and unpins messages."""

from __future__ import annotations

from compaction.models import Pin
from sessions.archive.selectors.records import Reader
from sessions.models import Transcript
from sessions.timeline.selectors.entries import find_entry


class PinError(ValueError):
    """The entry cannot be pinned. The text says why."""


def pin_set(*, transcript: Transcript, address: str, pinned: bool, now_ms: int) -> Transcript:
    """`address`: of an entry, as in its permalink. Returns the transcript that it belongs to. Raises Http404 if there
    is no such entry, and PinError if it is no message."""
    owner, entry = find_entry(transcript, address)
    record = Reader(owner.source_id).record(entry.offset, entry.length)
    uuid = record.get("uuid")
    if not isinstance(uuid, str) or not isinstance(record.get("message"), dict):
        raise PinError(f"Entry {entry.position} is no message of the conversation.")
    if pinned:
        Pin.objects.get_or_create(transcript=owner, uuid=uuid, defaults={"created_at": now_ms})
    else:
        Pin.objects.filter(transcript=owner, uuid=uuid).delete()
    return owner
