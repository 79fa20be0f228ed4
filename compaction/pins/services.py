"""Pins and unpins messages."""

from __future__ import annotations

from django.http import Http404

from compaction.models import Pin
from sessions.archive.selectors.records import Reader
from sessions.models import Transcript
from sessions.timeline.selectors.entries import find_entry


class PinError(ValueError):
    """The entry cannot be pinned. The text says why."""


def pin_set(*, transcript: Transcript, address: str, pinned: bool, now_ms: int) -> Transcript:
    """Returns the transcript that the message belongs to. Raises PinError if there is no such message."""
    owner, uuid = find_message(transcript, address)
    if pinned:
        Pin.objects.get_or_create(transcript=owner, uuid=uuid, defaults={"created_at": now_ms})
    else:
        Pin.objects.filter(transcript=owner, uuid=uuid).delete()
    return owner


def find_message(transcript: Transcript, address: str) -> tuple[Transcript, str]:
    """The uuid of a message, and the transcript that it belongs to. `address`: of its entry, as in a permalink, or its
    number. Raises PinError if nothing was said in it."""
    address = f"L{address}" if address.isascii() and address.isdigit() else address
    try:
        owner, entry = find_entry(transcript, address)
    except Http404 as error:
        raise PinError(str(error)) from error
    record = Reader(owner.source_id).record(entry.offset, entry.length)
    uuid = record.get("uuid")
    if not isinstance(uuid, str) or not isinstance(record.get("message"), dict):
        raise PinError(f"Entry {entry.position} is no message of the conversation.")
    return owner, uuid
