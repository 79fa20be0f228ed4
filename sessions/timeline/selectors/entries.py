"""Finds an entry by its address: its uuid, or `L<position>` for records without one."""

from __future__ import annotations

from django.db.models import Q
from django.http import Http404

from sessions.archive.selectors.records import Reader
from sessions.models import Entry, Transcript
from sessions.transcripts.engine.entry_ids import POSITION_BITS, POSITION_MASK
from sessions.transcripts.engine.keys import key_of


def find_entry(transcript: Transcript, address: str, reader: Reader | None = None) -> tuple[Transcript, Entry]:
    """Looks in this transcript, then in the others of its session, because a permalink does not name the agent.

    `reader`: for the source of this transcript, if the caller has one."""
    if address[:1] == "L" and address.isascii() and address[1:].isdigit() and len(address) < 12:
        entry = Entry.objects.filter(pk=transcript.pk << POSITION_BITS | int(address[1:]) & POSITION_MASK).first()
        if entry is not None:
            return transcript, entry
        raise Http404(f"The session has no entry {address}.")
    entries = list(Entry.objects.filter(uuid_key=key_of(address)).order_by("pk"))
    mine = [entry for entry in entries if entry.transcript_id == transcript.pk]
    if mine:
        return _match_uuid(transcript, mine, address, reader or Reader(transcript.source_id))
    family = Transcript.objects.filter(
        Q(parent=transcript) | Q(pk=transcript.parent_id) | Q(parent__isnull=False, parent=transcript.parent_id),
        pk__in={entry.transcript_id for entry in entries},
    ).select_related("source", "project")
    for other in family:
        theirs = [entry for entry in entries if entry.transcript_id == other.pk]
        return _match_uuid(other, theirs, address, Reader(other.source_id))
    raise Http404(f"The session has no entry {address}.")


def _match_uuid(transcript: Transcript, entries: list[Entry], address: str, reader: Reader) -> tuple[Transcript, Entry]:
    """The first entry whose record has this uuid, because keys may collide. A damaged record is taken by its key."""
    for entry in entries:
        record, damage = reader.try_record(entry.offset, entry.length)
        if damage or record.get("uuid") == address:
            return transcript, entry
    raise Http404(f"The session has no entry {address}.")
