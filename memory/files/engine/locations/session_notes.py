"""Where versions of the agent have stored the notes of a session."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class SessionNotes:
    session: str
    path: Path


def notes_paths(project: Path, session: str) -> tuple[Path, Path]:
    """The current path and the older one, in a project's directory below `projects/`."""
    return (
        project / session / "session-memory" / "summary.md",
        project / ".claude" / "session-memory" / f"{session}.md",
    )


def find_session_notes(project: Path) -> list[SessionNotes]:
    """All existing notes, by session. The current path wins over the older one."""
    by_session = {notes.session: notes for notes in (*_legacy_notes(project), *_current_notes(project))}
    return [by_session[session] for session in sorted(by_session)]


def _current_notes(project: Path) -> Iterator[SessionNotes]:
    for path in project.glob("*/session-memory/summary.md"):
        yield SessionNotes(path.parent.parent.name, path)


def _legacy_notes(project: Path) -> Iterator[SessionNotes]:
    for path in (project / ".claude" / "session-memory").glob("*.md"):
        yield SessionNotes(path.stem, path)
