"""The facts in the panel of an entry: its position, its links, its cost."""

from __future__ import annotations

from dataclasses import dataclass

from sessions.models import Entry, Request, Transcript
from sessions.timeline.selectors.window import Window
from sessions.transcripts.engine.entry_ids import POSITION_BITS
from sessions.transcripts.engine.flags import Flag, is_message

SENT_TYPES = ("user", "assistant", "attachment")


@dataclass(frozen=True, slots=True)
class EntryFacts:
    position: int
    type: str
    detail: str
    at: int | None
    turn: int
    flags: tuple[str, ...]
    length: int
    offset: int
    parent: int | None
    """Position of the parent record; None if there is none in this file."""
    has_missing_parent: bool
    request: Request | None
    version: str
    marks: tuple[tuple[str, int | None], ...]
    is_sent: bool
    """A record of a type that is sent to the model, with a uuid."""
    is_prompt: bool
    """A message from a person to the main agent."""


def entry_facts(transcript: Transcript, entry: Entry, window: Window) -> EntryFacts:
    row = window.rows[0]
    request = None
    if entry.message_key is not None:
        request = Request.objects.filter(transcript=transcript, message_key=entry.message_key).first()
    parent = _position(transcript, entry.parent_key)
    version = row.record.get("version")
    return EntryFacts(
        position=entry.position,
        type=entry.type or "no type",
        detail=entry.detail,
        at=entry.at,
        turn=entry.turn,
        flags=tuple((flag.name or "").lower() for flag in Flag(entry.flags)),
        length=entry.length,
        offset=entry.offset,
        parent=parent,
        has_missing_parent=entry.parent_key is not None and parent is None,
        request=request,
        version=version if isinstance(version, str) else "",
        marks=tuple((mark.fate.value, mark.by) for mark in row.marks),
        is_sent=entry.type in SENT_TYPES and entry.uuid_key is not None,
        is_prompt=is_message(entry.flags),
    )


def _position(transcript: Transcript, uuid_key: int | None) -> int | None:
    if uuid_key is None:
        return None
    base = transcript.pk << POSITION_BITS
    parent = Entry.objects.filter(uuid_key=uuid_key, pk__gte=base, pk__lt=base + (1 << POSITION_BITS)).first()
    return parent.position if parent else None
