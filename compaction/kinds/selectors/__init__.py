"""Reads sessions for a compaction, and compactions that were made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db.models import QuerySet
from zstandard import ZstdError

from compaction.kinds.engine.stored_context import StoredContext
from compaction.mechanisms.engine import Notes
from compaction.models import Compaction
from inspector.web.query import whole_number
from memory.notes.selectors.notes import notes_files
from sessions.archive.engine.damage import DamageError, verify
from sessions.archive.selectors.records import Reader
from sessions.context.engine import Context
from sessions.context.selectors.contexts import ContextPoint, load_context
from sessions.linking.selectors import LinkRows
from sessions.models import Entry, Source, Transcript
from sessions.transcripts.engine.entry_ids import POSITION_BITS
from sessions.transcripts.engine.messages import Message, replace_fields


class CompactionMissingError(LookupError):
    """No compaction has that number."""


@dataclass(frozen=True, slots=True)
class LoadedCompaction:
    row: Compaction
    before: tuple[Message, ...]
    stored: StoredContext

    @property
    def after(self) -> tuple[Message, ...]:
        return self.stored.after


def compaction_get(number: str | int) -> Compaction:
    """Finds a compaction by the number of its run, or by its own number if no run made it."""
    rows = Compaction.objects.select_related("transcript__source", "transcript__project").defer("packed")
    text = str(number)
    if (key := whole_number(text)) is not None:
        compaction = rows.filter(run_id=key).order_by("-pk").first() or rows.filter(run_id=None, pk=key).first()
        if compaction is not None:
            return compaction
    raise CompactionMissingError(f"There is no compaction {text}.")


def compaction_load(row: Compaction) -> LoadedCompaction:
    context = load_context(row.transcript, ContextPoint(row.position, row.link))
    return LoadedCompaction(row, compactable_messages(context), load_stored_context(row))


def load_stored_context(row: Compaction) -> StoredContext:
    """The stored context, verified by its hash."""
    name = f"What compaction {row.number} has left"
    data = bytes(row.packed)
    verify(data, row.packed_hash, name)
    try:
        return StoredContext.unpack(data)
    except (ZstdError, ValueError, MemoryError) as error:
        raise DamageError(f"{name} is damaged: it cannot be read.") from error


def compactions_of(transcript: Transcript) -> QuerySet[Compaction]:
    """The latest first, without columns that only the page of one needs."""
    return Compaction.objects.filter(transcript=transcript).defer("packed").order_by("-created_at", "-pk")


def count_failures(transcript: Transcript, kind: str) -> int:
    """How many compactions of an automatic kind have failed since a model last wrote a summary, for the circuit
    breaker."""
    summaries = Compaction.objects.filter(transcript=transcript, mechanical=False).exclude(summary="").order_by("-pk")
    since = summaries.values_list("pk", flat=True).first() or 0
    return Compaction.objects.filter(transcript=transcript, kind=kind, pk__gt=since, report__failed=True).count()


def compactable_messages(context: Context) -> tuple[Message, ...]:
    """The messages of a context, without counts from before its boundary, which do not apply to its size."""
    return tuple(
        replace_fields(message, usage=None)
        if message.usage is not None and message.position is not None and message.position < context.start
        else message
        for message in context.messages
    )


def _time_before(transcript: Transcript, position: int) -> int:
    """When the last entry before it was written, in milliseconds."""
    first = transcript.pk << POSITION_BITS
    entries = Entry.objects.filter(pk__gte=first, pk__lt=first | position, at__isnull=False)
    return entries.order_by("-pk").values_list("at", flat=True).first() or 0


def load_records(transcript: Transcript, messages: Sequence[Message]) -> Callable[[Message], Mapping[str, Any] | None]:
    """The records of the messages, fetched with one query."""
    positions = sorted({message.position for message in messages if message.position is not None})
    links = LinkRows(transcript.pk, transcript.source_id)
    if positions:
        links.load(positions[0], positions[-1] + 1)
        links.fetch(positions)

    def record(message: Message) -> Mapping[str, Any] | None:
        return None if message.position is None else links.record(message.position)

    return record


def spilled_outputs(transcript: Transcript) -> list[tuple[str, Callable[[], bytes]]]:
    """Tool output that the client has written to files: the name and the bytes of each."""
    sources = Source.objects.filter(owner=transcript, kind=Source.Kind.RESULT).exclude(state=Source.State.REPLACED)
    return [(Path(source.path).name, _bytes_of(source)) for source in sources.order_by("path")]


def _bytes_of(source: Source) -> Callable[[], bytes]:
    return lambda: Reader(source.pk).read(0, source.archived)


def newest_notes(transcript: Transcript, position: int | None = None) -> Notes | None:
    """The newest notes of this session, by the agent or by Lucid. `position`: only notes from before this entry was
    written."""
    files = notes_files(transcript)
    if position is not None and position < transcript.entries and files:
        files = [file for file in files if 1000 * file.modified <= _time_before(transcript, position)]
    if not files:
        return None
    newest = files[0]
    covered = newest.update.last_summarized if newest.update else ""
    written_at = newest.modified
    return Notes(newest.text, str(newest.path), source=newest.source, last_summarized=covered, written_at=written_at)
