"""Connects sub-agents with their session, spilled output with its transcript, a project with its directory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from django.db import connection

from sessions.models import Source, Transcript
from sessions.transcripts.engine.roles import NAME_CHARS

_CURRENT = Transcript.objects.exclude(source__state=Source.State.REPLACED)
PARENT = "UPDATE transcripts_transcript SET parent_id = %s WHERE id = %s"
OWNER = "UPDATE transcripts_source SET owner_id = %s WHERE id = %s"
CWD = "UPDATE transcripts_project SET cwd = %s WHERE id = %s AND cwd = ''"


def families_unite() -> None:
    """Connects new files with their families, whichever file was read first."""
    orphans = list(
        Transcript.objects.filter(parent=None)
        .exclude(kind=Transcript.Kind.MAIN)
        .values_list("pk", "project_id", "session_id")
    )
    mains = _CURRENT.filter(kind=Transcript.Kind.MAIN)
    if orphans:
        sessions = {
            (project, session): pk for pk, project, session in mains.values_list("pk", "project_id", "session_id")
        }
        parents = [
            (sessions[project, session], pk) for pk, project, session in orphans if (project, session) in sessions
        ]
        _execute_many(PARENT, parents)
    nameless = mains.filter(project__cwd="").exclude(cwd="").order_by("first_at")
    _execute_many(CWD, list(nameless.values_list("cwd", "project_id")))
    spilled_unite()


def spilled_unite() -> None:
    """`<project>/<session>/tool-results/<file>` belongs to the session's main transcript."""
    orphans = [
        (pk, PurePath(path).parent.parent)
        for pk, path in Source.objects.filter(kind=Source.Kind.RESULT, owner=None).values_list("pk", "path")
    ]
    if not orphans:
        return
    mains = _CURRENT.filter(kind=Transcript.Kind.MAIN).values_list("pk", "project__directory", "session_id")
    sessions = {(directory, session): pk for pk, directory, session in mains}
    folders = [((str(folder.parent), folder.name[:NAME_CHARS]), pk) for pk, folder in orphans]
    _execute_many(OWNER, [(sessions[folder], pk) for folder, pk in folders if folder in sessions])


def _execute_many(sql: str, rows: Sequence[Sequence[int | str]]) -> None:
    with connection.cursor() as cursor:
        cursor.executemany(sql, rows)
