"""What the panel says of an entry: where it stands, what it is linked to, what it cost."""

from __future__ import annotations

from dataclasses import dataclass

from sessions.models import Entry, Request, Transcript
from sessions.timeline.selectors.window import Window
from sessions.transcripts.engine.entry_ids import POSITION_BITS
from sessions.transcripts.engine.flags import Flag, is_message

SENT = ("user", "assistant", "attachment")


@dataclass(frozen=True, slots=True)
class Facts:
    position: int
    type: str
    detail: str
    at: int | None
    turn: int
    flags: tuple[str, ...]
    length: int
    offset: int
    parent: int | None
    """Position of the record that it hangs on; None when it has none, or it is not in this file."""
    dangling: bool
    request: Request | None
    version: str
    marks: tuple[tuple[str, int | None], ...]
    spoken: bool
    """A record of a kind that is sent to the model, and can be named by its uuid."""
    message: bool
    """Something that a person said to the main agent."""


def entry_facts(transcript: Transcript, entry: Entry, window: Window) -> Facts:
    row = window.rows[0]
    request = None
    if entry.message_key is not None:
        request = Request.objects.filter(transcript=transcript, message_key=entry.message_key).first()
    parent = _position(transcript, entry.parent_key)
    version = row.record.get("version")
    return Facts(
        position=entry.position,
        type=entry.type or "no type",
        detail=entry.detail,
        at=entry.at,
        turn=entry.turn,
        flags=tuple((flag.name or "").lower() for flag in Flag(entry.flags)),
        length=entry.length,
        offset=entry.offset,
        parent=parent,
        dangling=entry.parent_key is not None and parent is None,
        request=request,
        version=version if isinstance(version, str) else "",
        marks=tuple((mark.fate.value, mark.by) for mark in row.marks),
        spoken=entry.type in SENT and entry.uuid_key is not None,
        message=is_message(entry.flags),
    )


def _position(transcript: Transcript, uuid_key: int | None) -> int | None:
    if uuid_key is None:
        return None
    base = transcript.pk << POSITION_BITS
    found = Entry.objects.filter(uuid_key=uuid_key, pk__gte=base, pk__lt=base + (1 << POSITION_BITS)).first()
    return found.position if found else None
