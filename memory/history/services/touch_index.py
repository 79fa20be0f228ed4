"""Indexes which sessions wrote, read or were given memory files, and which entry wrote a version. Each record is read
once: the position up to which a transcript is indexed is stored."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import F, Q

from memory.files.engine.newlines import text_for_editing
from memory.history.engine.mentions import (
    GIVERS,
    READERS,
    WRITERS,
    Mention,
    apply_call,
    find_mentions,
    place_of,
    read_written_text,
    strip_client_fields,
)
from memory.history.selectors.contents import readable_contents_of
from memory.models import Cause, Directory, Reached, Touch, Version
from sessions.archive.selectors.records import Reader
from sessions.models import Entry, Transcript
from sessions.transcripts.engine.entry_ids import POSITION_BITS, POSITION_MASK
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.keys import key_of

AT_ONCE = 200
"""Records that are decoded together."""
MOST_WRITES = 500
"""Writes of one file that are compared with its versions."""
SLACK_MS = 5_000
"""Tolerance between the time of a call and that of the file it wrote."""

TouchedFile = tuple[str, str]


@dataclass(slots=True)
class TouchIndexing:
    transcripts: int = 0
    touches: int = 0
    linked: int = 0
    """Versions whose entry was found."""
    files: set[TouchedFile] = field(default_factory=set)
    """Files written by sessions."""


def touches_index(*, transcripts: Collection[int] | None = None) -> TouchIndexing:
    """Indexes new records of these transcripts, or of all. Writes nothing if nothing is new."""
    rows = Transcript.objects.filter(Q(memory_reached=None) | ~Q(memory_reached__entries=F("entries")), entries__gt=0)
    if transcripts is not None:
        rows = rows.filter(pk__in=transcripts)
    result = TouchIndexing()
    elsewhere = [path for path in Directory.objects.values_list("path", flat=True) if place_of(path) == path]
    for pk, source, entries, position in list(
        rows.order_by("pk").values_list("pk", "source", "entries", "memory_reached__position")
    ):
        with transaction.atomic():
            _look_through(pk, source, entries, position or 0, elsewhere, result)
        result.transcripts += 1
    result.linked = versions_link(files=result.files)
    return result


def _look_through(pk: int, source: int, entries: int, start: int, elsewhere: list[str], result: TouchIndexing) -> None:
    base = pk << POSITION_BITS
    rows = Entry.objects.filter(pk__gte=base | start, pk__lte=base | POSITION_MASK)
    rows = rows.filter(Q(type="assistant", detail__in=WRITERS + READERS) | Q(type="attachment", detail__in=GIVERS))
    # Copied records of a fork belong to the original session.
    own = [entry for entry in rows.order_by("pk") if not entry.flags & Flag.COPY]
    mentions = list(_read_mentions(own, Reader(source), elsewhere))
    answers = _answers(base, [mention.tool_id for _, mention in mentions if mention.tool_id])
    touches: list[Touch] = []
    next_start = max(entries, start)
    for entry, mention in mentions:
        failed = answers.get(mention.tool_id) if mention.tool_id else False
        if failed is None:
            next_start = min(next_start, entry.position)  # still without a result
        elif not failed:
            kind = Touch.Kind(mention.kind)
            touches.append(
                Touch(
                    place=mention.place,
                    name=mention.name,
                    kind=kind,
                    transcript_id=pk,
                    position=entry.position,
                    detail=mention.detail,
                    at=entry.at,
                )
            )
            if kind is Touch.Kind.WROTE:
                result.files.add((mention.place, mention.name))
    Touch.objects.bulk_create(touches, ignore_conflicts=True, batch_size=200)
    Reached.objects.update_or_create(transcript_id=pk, defaults={"entries": entries, "position": next_start})
    result.touches += len(touches)


def _read_mentions(rows: list[Entry], reader: Reader, elsewhere: list[str]) -> Iterator[tuple[Entry, Mention]]:
    for start in range(0, len(rows), AT_ONCE):
        some = rows[start : start + AT_ONCE]
        reader.fetch([(entry.offset, entry.length) for entry in some])
        for entry in some:
            record, _ = reader.try_record(entry.offset, entry.length)  # a damaged one mentions nothing
            for mention in find_mentions(record, elsewhere):
                yield entry, mention
        reader.release(0)


def _answers(base: int, tools: list[str]) -> dict[str, bool]:
    """By call, for those that have a result: is it an error?"""
    keys = {key_of(tool): tool for tool in tools}
    ordered = list(keys)
    answers: dict[str, bool] = {}
    for start in range(0, len(ordered), AT_ONCE):
        rows = Entry.objects.filter(
            tool_key__in=ordered[start : start + AT_ONCE], pk__gte=base, pk__lte=base | POSITION_MASK
        )
        for key, flags in rows.values_list("tool_key", "flags"):
            if key is not None and flags & Flag.RESULT:
                answers[keys[key]] = bool(flags & Flag.ERROR)
    return answers


def versions_link(*, files: Collection[TouchedFile]) -> int:
    """Finds the entries that wrote versions of these files, if not yet known."""
    directories: dict[str, list[Directory]] = {}
    for directory in Directory.objects.all() if files else ():
        directories.setdefault(place_of(directory.path), []).append(directory)
    linked: list[Version] = []
    for place, name in sorted(files):
        for directory in directories.get(place, ()):
            linked += _link(directory, place, name)
    Version.objects.bulk_update(linked, ["transcript", "position", "evidence"], batch_size=100)
    return len(linked)


@dataclass(frozen=True, slots=True)
class _Call:
    touch: Touch
    mention: Mention
    written: str | None
    """According to the result: the client adds lines of its own to a header."""


def _link(directory: Directory, place: str, name: str) -> list[Version]:
    rows = Version.objects.filter(
        directory=directory, name=name, transcript=None, blob__isnull=False, cause__in=(Cause.OUTSIDE, Cause.FIRST)
    )
    versions = list(rows.select_related("parent").order_by("pk"))
    if not versions:
        return []
    calls = _calls(place, name)
    contents = readable_contents_of(state for version in versions for state in (version, version.parent) if state)
    linked = []
    for version in versions:
        after = text_for_editing(contents.get(version.blob_id or 0, b""))
        before = text_for_editing(contents.get(version.parent.blob_id or 0, b"")) if version.parent else ""
        author = _find_author(version, before, after, calls)
        if author:
            touch, version.evidence = author
            version.transcript_id, version.position = touch.transcript_id, touch.position
            linked.append(version)
    return linked


def _find_author(version: Version, before: str, after: str, calls: list[_Call]) -> tuple[Touch, str] | None:
    """The last call that produced this text, or else the one at the time of the file."""
    text, author = before, None
    for call in calls:
        result = call.written or apply_call(text, call.mention.detail, call.mention.arguments)
        if result is None:
            continue
        text = result
        if strip_client_fields(text) == strip_client_fields(after) and (call.touch.at or 0) <= version.at + SLACK_MS:
            author = call.touch
    if author:
        return author, "content"
    written = version.mtime_ns // 1_000_000
    near = [call.touch for call in calls if call.touch.at and abs(written - call.touch.at) <= SLACK_MS]
    return (near[-1], "time") if near else None


def _calls(place: str, name: str) -> list[_Call]:
    """The calls that wrote the file, in order, with their arguments."""
    rows = Touch.objects.filter(place=place, name=name, kind=Touch.Kind.WROTE).select_related("transcript")
    touches = list(rows.defer("transcript__state", "transcript__ruler").order_by("-at", "-position")[:MOST_WRITES])[
        ::-1
    ]
    entries = Entry.objects.in_bulk([touch.transcript_id << POSITION_BITS | touch.position for touch in touches])
    results = _results(list(entries.values()))
    readers: dict[int, Reader] = {}
    calls = []
    for touch in touches:
        entry = entries.get(touch.transcript_id << POSITION_BITS | touch.position)
        if entry is None:
            continue
        reader = readers.setdefault(touch.transcript.source_id, Reader(touch.transcript.source_id))
        record, _ = reader.try_record(entry.offset, entry.length)
        elsewhere = [] if place.startswith("projects/") else [place]
        answer = results.get((touch.transcript_id, entry.tool_key))
        written_text = read_written_text(reader.try_record(answer.offset, answer.length)[0]) if answer else None
        calls += [
            _Call(touch, mention, written_text)
            for mention in find_mentions(record, elsewhere)
            if (mention.place, mention.name) == (place, name)
        ]
    return calls


def _results(calls: list[Entry]) -> dict[tuple[int, int | None], Entry]:
    """The result entries of calls, by transcript and key."""
    keys = sorted({entry.tool_key for entry in calls if entry.tool_key is not None})
    rows = Entry.objects.filter(tool_key__in=keys, type="user")
    return {(entry.transcript_id, entry.tool_key): entry for entry in rows}
