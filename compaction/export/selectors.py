"""Sessions that were made from compactions: where they are, and how to resume them."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from compaction.models import Compaction, Export
from sessions.imports.engine.names import EXPORTS
from sessions.models import Source, Transcript
from sessions.transcripts.engine.paths import decode_path, encode_path
from sessions.transcripts.engine.slug import slug


@dataclass(frozen=True, slots=True)
class WrittenExport:
    export: Export
    is_present: bool
    """Whether the file is still where it was written."""
    public_id: str
    """The id of its own page; empty if it has not been imported."""
    command: str
    """The shell command that resumes it."""
    expected_directory: str
    """Where the agent would look for it, if that is not where it is."""


@dataclass(frozen=True, slots=True)
class ExportView:
    """What `compaction/export/_export.html` shows."""

    compaction: Compaction
    directory: str
    """Where an export goes unless a person says otherwise."""
    exports: list[WrittenExport]
    """The latest first."""

    @property
    def session(self) -> str:
        return self.compaction.transcript.public_id


def build_export_view(compaction: Compaction) -> ExportView:
    transcript = compaction.transcript
    cwd = transcript.cwd or transcript.project.cwd
    rows = list(compaction.exports.order_by("-created_at", "-pk"))
    pages = dict(
        Transcript.objects.filter(source__path__in=[row.path for row in rows])
        .exclude(source__state=Source.State.REPLACED)
        .values_list("source__path", "public_id")
    )
    expected = projects_directory() / slug(cwd) if cwd else None
    exports = []
    for row in rows:
        path = decode_path(row.path)
        elsewhere = expected is not None and path.parent != expected
        expected_directory = encode_path(expected) if expected is not None and elsewhere else ""
        command = resume_command(cwd, row.session_id)
        exports.append(WrittenExport(row, os.path.lexists(path), pages.get(row.path, ""), command, expected_directory))
    return ExportView(compaction, encode_path(export_directory(transcript)), exports)


def resume_command(cwd: str, session_id: str) -> str:
    resume = f"claude --resume {shlex.quote(session_id)}"
    return f"cd {shlex.quote(cwd)} && {resume}" if cwd else resume


def export_directory(transcript: Transcript) -> Path:
    """The directory of the session, where the agent finds the export; for sessions from elsewhere, the directory that
    the agent would use. Exports of the demo stay in Lucid's home."""
    own = decode_path(transcript.project.directory)
    if own.is_relative_to(settings.DEMO_DIR):
        return demo_exports() / own.name
    if own.is_relative_to(projects_directory()):
        return own
    cwd = transcript.cwd or transcript.project.cwd
    return projects_directory() / (slug(cwd) if cwd else own.name)


def projects_directory() -> Path:
    return Path(settings.CLAUDE_CONFIG_DIR) / "projects"


def demo_exports() -> Path:
    return Path(settings.LUCID_HOME) / EXPORTS
