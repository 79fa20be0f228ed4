"""Writes notes of sessions: each update is a version, with the last entry that it covers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import transaction

from inspector.locks.hosts import this_host
from inspector.web.clock import now_ms
from memory.files.engine.disk import FileTroubleError, digest_of, real_path
from memory.files.engine.disk.errors import translate_errors
from memory.files.engine.locations import find_session_notes
from memory.files.services.scanning import memory_scan
from memory.files.services.writing import memory_open, memory_write
from memory.history.services.batches import NothingToChangeError
from memory.history.services.moves import SourceEntry
from memory.models import Cause, Directory, NotesUpdate, Version
from memory.notes.engine import RepairedNotes
from memory.notes.selectors.notes import FILE, agent_notes_paths, own_directory
from sessions.imports.engine.discovery import is_inside
from sessions.models import Transcript
from sessions.transcripts.engine.paths import decode_path, encode_path


class NotesPlaceError(FileTroubleError):
    """Notes cannot be stored there."""


@dataclass(frozen=True, slots=True)
class NotesCoverage:
    """How far an update goes."""

    position: int
    last_summarized: str
    tokens: int


def notes_directory(*, transcript: Transcript, into_agent: bool = False) -> Directory:
    """The row of the directory for the notes, which is created if necessary."""
    path = agent_notes_paths(transcript)[0].parent if into_agent else own_directory(transcript)
    if path.resolve().is_relative_to(Path(settings.DEMO_DIR).resolve()):
        raise NotesPlaceError("The demo's own files stay as they are: its notes are kept by Lucid.")
    with translate_errors(encode_path(path)):
        path.mkdir(parents=True, exist_ok=True)
    return _register_directory(path)


def notes_write(
    *,
    transcript: Transcript,
    notes: RepairedNotes,
    covered: NotesCoverage,
    model_name: str,
    run_id: int | None = None,
    into_agent: bool = False,
    expected: str | None = None,
) -> NotesUpdate:
    """`expected`: the digest of the existing file; None if there is none."""
    directory = notes_directory(transcript=transcript, into_agent=into_agent)
    entry = SourceEntry(transcript, covered.position)
    message = f"Notes of the session up to entry {covered.position}."
    try:
        batch = memory_write(
            directory=directory,
            name=FILE,
            content=notes.text.encode(),
            expected=expected,
            cause=Cause.RUN,
            message=message,
            run_id=run_id,
            entry=entry,
        )
        version = batch.versions.get()
    except NothingToChangeError:
        # There was nothing new to note: the notes cover more now, but their text is the same.
        version = _current_version(directory)
    with transaction.atomic():
        return NotesUpdate.objects.create(
            transcript=transcript,
            version=version,
            run_id=run_id,
            position=covered.position,
            last_summarized=covered.last_summarized,
            tokens=covered.tokens,
            model_name=model_name[:120],
            repairs=list(notes.repairs),
            at=now_ms(),
        )


def notes_expected(*, transcript: Transcript, into_agent: bool = False) -> str | None:
    """The digest of the file that an update will replace. Its content is in the history by then."""
    opened_file = memory_open(directory=notes_directory(transcript=transcript, into_agent=into_agent), name=FILE)
    return opened_file.digest if opened_file else None


def notes_follow(*, projects: Path, changed: Iterable[Path] | None = None) -> None:
    """Records versions of the agent's notes, of all projects if none are given."""
    if changed is None:
        folders = {notes.path.parent for project in _project_folders(projects) for notes in find_session_notes(project)}
    else:
        folders = {path.parent for path in changed if path.parent.name == "session-memory" and path.suffix == ".md"}
    for folder in sorted(folders):
        if folder.is_dir() and is_inside(projects, folder):
            memory_scan(directory=_register_directory(folder))


def _project_folders(projects: Path) -> list[Path]:
    return [path for path in sorted(projects.iterdir()) if path.is_dir() and not path.is_symlink()]


def _register_directory(path: Path) -> Directory:
    directory, _ = Directory.every.get_or_create(
        path=encode_path(real_path(path)), defaults={"holds": Directory.Holds.NOTES, "host": this_host()}
    )
    return directory


def _current_version(directory: Directory) -> Version:
    data = (decode_path(directory.path) / FILE).read_bytes()
    return Version.objects.filter(directory=directory, blob__digest=digest_of(data)).latest("pk")
