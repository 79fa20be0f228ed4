"""What a session has to say to whoever looks for memories: how far it was looked through, and a stretch of it."""

from __future__ import annotations

from memory.engine.extraction import Considered, ExtractionConfig, consider
from memory.engine.mentions import place_of
from memory.models import Directory, Extraction, Touch
from sessions.engine.flags import Flag
from sessions.engine.messages import Message
from sessions.engine.place import POSITION_BITS
from sessions.models import Entry, Transcript
from sessions.selectors.context import Point, context_of, point_after, point_next

AT_ONCE = 100


def extraction_of(transcript: Transcript) -> Extraction:
    """The stored one, or one that begins at the beginning."""
    return Extraction.objects.filter(pk=transcript.pk).first() or Extraction(transcript=transcript)


def extraction_considered(
    transcript: Transcript, directory: Directory, config: ExtractionConfig | None = None
) -> Considered:
    """Whether what came since the last look is worth one."""
    cursor = extraction_of(transcript).position
    wrote = Touch.objects.filter(
        transcript=transcript, kind=Touch.Kind.WROTE, place=place_of(directory.path), position__gte=cursor
    )
    messages = stretch_of(transcript, cursor, transcript.entries)
    main = transcript.kind == Transcript.Kind.MAIN
    return consider(messages, cursor, set(wrote.values_list("position", flat=True)), config, main=main)


def stretch_of(transcript: Transcript, start: int, stop: int) -> list[Message]:
    """The messages of the entries from `start` up to `stop`, also those that were compacted away since."""
    found: list[Message] = []
    end = stop
    while end > start and (point := _point(transcript, end)) is not None:
        context = context_of(transcript, point)
        begin = max(start, context.start)
        found = [one for one in context.messages if one.position is not None and begin <= one.position < stop] + found
        if not 0 < context.start < end:
            break
        end = context.start
    return found


def _point(transcript: Transcript, end: int) -> Point | None:
    """Behind the last entry of the conversation before `end`."""
    if end >= transcript.entries:
        return point_next(transcript)
    base = transcript.pk << POSITION_BITS
    rows = Entry.objects.filter(pk__gte=base, pk__lt=base | end, uuid_key__isnull=False).order_by("-pk")
    return next((point_after(entry) for entry in rows[:AT_ONCE] if not entry.flags & Flag.SIDECHAIN), None)
