"""Sessions made up for the tests of lists: rows only, without records."""

from __future__ import annotations

from itertools import count
from typing import Any

from sessions.models import Project, Source, Transcript

DAY = 86_400_000
NOW = 1_760_000_000_000

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"

_numbers = count(1)


def project(cwd: str = "/home/dev/atlas") -> Project:
    made, _ = Project.objects.get_or_create(directory=cwd.replace("/", "-"), defaults={"cwd": cwd})
    return made


def unsaved(number: int, **fields: Any) -> tuple[Source, Transcript]:
    """A source and its transcript, for bulk_create."""
    path = fields.pop("path", f"/home/dev/.claude/projects/atlas/{number}.jsonl")
    written_at = fields.pop("written_at", fields.get("last_at") or NOW)
    source = Source(
        path=path,
        kind=Source.Kind.TRANSCRIPT,
        state=fields.pop("state", Source.State.PRESENT),
        mtime_ns=written_at * 1_000_000,
        size=fields.pop("size", 1000),
        archived=fields.pop("archived", 1000),
    )
    given = {"public_id": f"session-{number}", "session_id": f"session-{number}", "title": f"Session {number}"}
    return source, Transcript(**{**given, "first_at": NOW - DAY, "last_at": NOW, **fields})


def session(**fields: Any) -> Transcript:
    in_project = fields.pop("project", None) or project()
    source, transcript = unsaved(next(_numbers), project=in_project, **fields)
    source.save()
    transcript.source = source
    transcript.save()
    return transcript
