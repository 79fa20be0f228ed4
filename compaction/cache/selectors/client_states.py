"""The state of the client at a request, from the records before it."""

from __future__ import annotations

from compaction.cache.engine.requests.client_state import ClientState, client_state
from sessions.archive.selectors.records import Reader
from sessions.context.engine import Context
from sessions.linking.engine.raw_fields import text
from sessions.models import Entry, Transcript
from sessions.transcripts.engine.entry_ids import POSITION_BITS
from sessions.transcripts.engine.flags import Flag

_MODE_ROWS = 400
"""How many rows before a request are searched for the permission mode."""


def state_of(transcript: Transcript, context: Context, reader: Reader) -> ClientState:
    return client_state(context, _permission_mode(transcript, context.position, reader))


def _permission_mode(transcript: Transcript, before: int, reader: Reader) -> str:
    """The last one that the client recorded: with a prompt or, in later versions, in a separate record."""
    end = transcript.pk << POSITION_BITS | before
    rows = Entry.objects.filter(id__gte=max(transcript.pk << POSITION_BITS, end - _MODE_ROWS), id__lt=end)
    rows = rows.filter(type__in=("permission-mode", "user")).order_by("-id")
    for row in rows.only("id", "offset", "length", "type", "flags"):
        if row.type == "user" and not row.flags & Flag.TYPED:
            continue
        if mode := text(reader.record(row.offset, row.length).get("permissionMode")):
            return mode
    return ""
