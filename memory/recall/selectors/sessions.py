"""Sessions as a recall sees them: messages of the user, the memories they had by then, and compactions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F, QuerySet
from django.utils import timezone

from memory.files.engine.disk import Folder
from memory.files.engine.reading import INDEX_NAME
from memory.history.engine.mentions import place_of
from memory.models import Directory, Touch
from memory.recall.engine import (
    Choice,
    CompactionEvent,
    Event,
    KnownBy,
    KnownMemory,
    Ranker,
    RecallResult,
    RecallState,
    UserMessage,
    build_documents,
    finish_recall,
    prepare_recall,
    scan_memory,
)
from memory.recall.engine.recorded import ATTACHMENT, injected_sizes
from sessions.archive.selectors.records import Reader
from sessions.catalog.selectors.sessions import current_sessions
from sessions.models import Entry, Transcript
from sessions.timeline.engine.cards.records.user import queued_prompt
from sessions.timeline.engine.cards.safe_get import joined_text
from sessions.transcripts.engine.entry_ids import POSITION_BITS, POSITION_MASK
from sessions.transcripts.engine.flags import ASIDE, Flag
from sessions.transcripts.engine.paths import decode_path

BATCH = 200
_TYPED, _BOUNDARY = int(Flag.TYPED), int(Flag.BOUNDARY)
_NOT_SAID = int(ASIDE | Flag.COPY)
"""Messages that a fork repeats belong to its parent."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message of the user."""

    transcript: Transcript
    position: int
    address: str
    """The last part of the entry's permalink."""
    at: int | None
    text: str


def sessions_of(directory: Directory) -> QuerySet[Transcript]:
    """The sessions of its project, latest first."""
    rows = current_sessions().filter(project=directory.project_id)
    return rows.select_related("project").defer("state", "ruler").order_by("-last_at", "-pk")


def latest_messages(directory: Directory, most: int) -> list[Message]:
    """Latest first, session by session."""
    messages: list[Message] = []
    for transcript in sessions_of(directory).filter(typed__gt=0)[:most]:
        rows = list(_user_entries(transcript).order_by("-pk")[: most - len(messages)])
        messages += _messages(transcript, rows)
        if len(messages) >= most:
            break
    return messages


def message_of(transcript: Transcript, entry: Entry) -> Message:
    return _messages(transcript, [entry])[0]


def events_of(
    directory: Directory, transcript: Transcript, *, until: int = POSITION_MASK
) -> list[KnownMemory | CompactionEvent]:
    """Memories that a session got before an entry, and its compactions, in order."""
    base = transcript.pk << POSITION_BITS
    boundaries = _entries(transcript, _BOUNDARY).filter(bits=_BOUNDARY, pk__lt=base | until)
    events: list[KnownMemory | CompactionEvent] = [
        CompactionEvent(pk & POSITION_MASK) for pk in boundaries.values_list("pk", flat=True)
    ]
    events += _known_memories(directory, transcript, until)
    return sorted(events, key=_position)


def events_with_messages(directory: Directory, transcript: Transcript) -> list[Event]:
    """All events of a session, with the messages of the user."""
    messages = _in_batches(transcript, _user_entries(transcript).order_by("pk"))
    spoken = (UserMessage(message.position, message.text) for message in messages)
    return sorted([*events_of(directory, transcript), *spoken], key=_position)


def _position(event: Event) -> int:
    return event.position or 0


def _known_memories(directory: Directory, transcript: Transcript, until: int) -> Iterator[KnownMemory]:
    place = place_of(directory.path)
    rows = Touch.objects.filter(place=place, transcript=transcript, position__lt=until)
    touches = list(rows.exclude(kind=Touch.Kind.WROTE).exclude(name=INDEX_NAME).order_by("position", "pk"))
    sizes = _sizes(place, transcript, sorted({touch.position for touch in touches if touch.detail == ATTACHMENT}))
    for touch in touches:
        how = KnownBy.READ if touch.kind == Touch.Kind.READ else KnownBy.SURFACED
        yield KnownMemory(touch.name, how, touch.position, sizes.get((touch.position, touch.name), 0))


def _sizes(place: str, transcript: Transcript, positions: Sequence[int]) -> dict[tuple[int, str], int]:
    entries = Entry.objects.in_bulk([transcript.pk << POSITION_BITS | position for position in positions])
    reader = Reader(transcript.source_id)
    elsewhere = [] if place.startswith("projects/") else [place]
    sizes: dict[tuple[int, str], int] = {}
    for entry in entries.values():
        record, _ = reader.try_record(entry.offset, entry.length)
        sizes |= {
            (entry.position, name): size
            for (where, name), size in injected_sizes(record, elsewhere).items()
            if where == place
        }
    return sizes


def _entries(transcript: Transcript, flags: int) -> QuerySet[Any]:
    """All entries, each with `bits`: the flags it has of these."""
    base = transcript.pk << POSITION_BITS
    return Entry.objects.filter(pk__gte=base, pk__lte=base | POSITION_MASK).annotate(bits=F("flags").bitand(flags))


def _user_entries(transcript: Transcript) -> QuerySet[Any]:
    return _entries(transcript, _TYPED | _NOT_SAID).filter(bits=_TYPED)


def _in_batches(transcript: Transcript, rows: QuerySet[Any]) -> Iterator[Message]:
    entries = list(rows)
    for start in range(0, len(entries), BATCH):
        yield from _messages(transcript, entries[start : start + BATCH])


def _messages(transcript: Transcript, entries: Sequence[Entry]) -> list[Message]:
    reader = Reader(transcript.source_id)
    reader.fetch([(entry.offset, entry.length) for entry in entries])
    messages = []
    for entry in entries:
        record, damage = reader.try_record(entry.offset, entry.length)
        if damage:
            continue  # the text of a damaged record is unknown
        uuid = record.get("uuid")
        address = uuid if isinstance(uuid, str) and uuid else f"L{entry.position}"
        message = record.get("message")
        content = message.get("content") if isinstance(message, dict) else queued_prompt(record)
        messages.append(Message(transcript, entry.position, address, entry.at, joined_text(content).strip()))
    return messages


def recall_now(directory: Directory, text: str, state: RecallState, choice: Choice | None = None) -> RecallResult:
    """What would be injected now. Without the `choice` of a model the local ranker chooses. Raises FileTroubleError."""
    now = timezone.now()
    with Folder(decode_path(directory.path)) as folder:
        prepared = prepare_recall(scan_memory(folder), text, state, now)
        if choice is None:
            ranker = Ranker(build_documents(folder, prepared.candidates, now) if prepared.needs_choice else ())
            choice = ranker.choose(text, prepared.names)
        return finish_recall(folder, prepared, choice, now)
