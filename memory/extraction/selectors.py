"""What an extraction reads: how far a session was searched, and the messages of a part of it."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from memory.extraction.engine import ExtractionConfig, ExtractionDecision, decide_extraction
from memory.history.engine.mentions import place_of
from memory.models import Directory, Extraction, Touch
from sessions.context.engine import Context
from sessions.context.selectors.context_cache import cached_context
from sessions.context.selectors.contexts import ContextPoint, point_after, point_next
from sessions.models import Entry, Transcript
from sessions.transcripts.engine.entry_ids import POSITION_BITS
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.messages import Message
from sessions.transcripts.engine.paths import decode_path, encode_path

AT_ONCE = 100


class NoMemoryError(LookupError):
    """The memory directory of the project is not known."""


def get_extraction(transcript: Transcript) -> Extraction:
    """The stored one, or a new one that starts at the first entry."""
    return Extraction.objects.filter(pk=transcript.pk).first() or Extraction(transcript=transcript)


def memory_path(transcript: Transcript) -> Path:
    """The memory directory of the session's project; it need not exist. Raises NoMemoryError."""
    rows = Directory.objects.filter(project=transcript.project_id).order_by("pk")
    paths = [decode_path(path) for path in rows.values_list("path", flat=True)]
    demo = Path(settings.DEMO_DIR).resolve()
    for path in (*paths, decode_path(transcript.project.directory) / "memory"):
        if not path.resolve().is_relative_to(demo):
            return path
    raise NoMemoryError("The demo's own files stay as they are: `lucid serve --demo` makes a copy to work on.")


def extraction_decide(
    transcript: Transcript, memory: Path, config: ExtractionConfig | None = None, latest: Context | None = None
) -> ExtractionDecision:
    """Whether an extraction is due. `memory`: the directory; `latest`: the present context, if the caller has it."""
    cursor = get_extraction(transcript).position
    wrote = Touch.objects.filter(
        transcript=transcript, kind=Touch.Kind.WROTE, place=place_of(encode_path(memory)), position__gte=cursor
    )
    messages = load_messages(transcript, cursor, transcript.entries, latest)
    main = transcript.kind == Transcript.Kind.MAIN
    return decide_extraction(messages, cursor, set(wrote.values_list("position", flat=True)), config, main=main)


def load_messages(transcript: Transcript, start: int, stop: int, latest: Context | None = None) -> list[Message]:
    """The messages of the entries from `start` up to `stop`, including those compacted since. `latest`: the present
    context, if the caller has it."""
    messages: list[Message] = []
    end = stop
    while end > start and (point := _point(transcript, end)) is not None:
        context = latest if latest and end >= transcript.entries else cached_context(transcript, point)
        begin = max(start, context.start)
        rows = (row for row in context.messages if row.position is not None and begin <= row.position < stop)
        messages = [*rows, *messages]
        if not 0 < context.start < end:
            break
        end = context.start
    return messages


def _point(transcript: Transcript, end: int) -> ContextPoint | None:
    """The point after the last entry of the conversation before `end`."""
    if end >= transcript.entries:
        return point_next(transcript)
    base = transcript.pk << POSITION_BITS
    rows = Entry.objects.filter(pk__gte=base, pk__lt=base | end, uuid_key__isnull=False).order_by("-pk")
    return next((point_after(entry) for entry in rows[:AT_ONCE] if not entry.flags & Flag.SIDECHAIN), None)
