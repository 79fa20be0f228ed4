"""Which session and entry a memory comes from, and which sessions read it or were given it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.db.models import Count, Max, QuerySet

from memory.history.engine.mentions import place_of
from memory.models import Directory, Touch, Version
from sessions.archive.selectors.records import Reader
from sessions.models import Entry, Transcript
from sessions.transcripts.engine.entry_ids import POSITION_BITS

_ORIGIN = re.compile(rb"^\s*originSessionId:\s*[\"']?([0-9A-Za-z-]{8,64})", re.MULTILINE)
_HEAD = 4096


@dataclass(frozen=True, slots=True)
class VersionOrigin:
    transcript: Transcript
    address: str
    """The entry's part of its permalink; empty if only the session is known."""
    evidence: str
    """`content`, `time` or `front matter`; empty if the writer recorded it."""


@dataclass(frozen=True, slots=True)
class UseCount:
    """How often sessions used a file in one way, and when last."""

    count: int
    last_at: int | None


def version_origin(version: Version, content: bytes | None = None) -> VersionOrigin | None:
    """Who wrote the version. `content`: its text; the front matter is used if nothing else is known."""
    if version.transcript is not None and version.position is not None:
        return VersionOrigin(version.transcript, _address(version.transcript, version.position), version.evidence)
    named = _ORIGIN.search(content[:_HEAD]) if content else None
    if named is None:
        return None
    rows = Transcript.objects.filter(session_id=named[1].decode(), kind=Transcript.Kind.MAIN)
    transcript = rows.select_related("project").defer("state", "ruler").order_by("pk").first()
    return VersionOrigin(transcript, "", "front matter") if transcript else None


def touches_of(directory: Directory, name: str) -> QuerySet[Touch]:
    """The latest first; may be long, so slice it."""
    rows = Touch.objects.filter(place=place_of(directory.path), name=name)
    rows = rows.select_related("transcript__project").defer("transcript__state", "transcript__ruler")
    return rows.order_by("-at", "-pk")


def uses_of(directory: Directory) -> dict[tuple[str, str], UseCount]:
    """By name and kind of use, for all files of a directory; one query."""
    rows = Touch.objects.filter(place=place_of(directory.path)).values_list("name", "kind")
    return {(name, kind): UseCount(count, last) for name, kind, count, last in rows.annotate(Count("pk"), Max("at"))}


def _address(transcript: Transcript, position: int) -> str:
    entry = Entry.objects.filter(pk=transcript.pk << POSITION_BITS | position).first()
    record = Reader(transcript.source_id).try_record(entry.offset, entry.length)[0] if entry else {}
    uuid = record.get("uuid")
    return uuid if isinstance(uuid, str) and uuid else f"L{position}"
