"""Memory directories for lists, and the project of each on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path, PurePath
from typing import NamedTuple

from django.conf import settings
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Sum
from django.http import Http404

from memory.files.engine.disk import FileTroubleError, Folder
from memory.models import Directory, File
from sessions.models import Source, Transcript
from sessions.text.engine.error_reason import reason_of
from sessions.transcripts.engine.paths import decode_path, encode_path


class ListedFile(NamedTuple):
    """A file as listed by the file system, unread."""

    name: str
    size: int
    mtime_ns: int
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class FileCounts:
    files: int = 0
    bytes: int = 0
    last_at: int | None = None
    """When one of the files was last changed: milliseconds since 1970, UTC."""


def demo_root() -> Path:
    """Where the copy of the demo's memory is."""
    return Path(settings.LUCID_HOME) / "demo" / "projects"


def visible_directories() -> QuerySet[Directory]:
    """All but those of a demo that is no longer shown."""
    current = Transcript.objects.exclude(source__state=Source.State.REPLACED)
    is_demo = Q(path__startswith=f"{encode_path(os.path.realpath(demo_root()))}/")
    hidden = is_demo & ~Exists(current.filter(project=OuterRef("project")))
    return Directory.objects.exclude(hidden).select_related("project").order_by("path")


def counts_of(directories: Iterable[Directory]) -> dict[int, FileCounts]:
    """By directory, as of the last scan; one query."""
    rows = File.objects.filter(state=File.State.PRESENT, directory__in=[directory.pk for directory in directories])
    counts = rows.values_list("directory").annotate(Count("pk"), Sum("size"), Max("mtime_ns"))
    return {pk: FileCounts(count, size, last // 1_000_000) for pk, count, size, last in counts}


def directory_of_project(name: str) -> Directory:
    """The memory of a project, by the name of its transcript directory, such as `-home-dev-boat`. Not found if several
    configurations have one of that name."""
    matches = [
        directory for directory in visible_directories() if PurePath(directory.path).parts[-2:] == (name, "memory")
    ]
    if len(matches) != 1:
        raise Http404(f"There is not just one memory of a project called {name}.")
    return matches[0]


def directory_get(number: int) -> Directory:
    directory = Directory.objects.select_related("project").filter(pk=number).first()
    if directory is None:
        raise Http404(f"There is no memory directory {number}.")
    return directory


def name_of(directory: Directory) -> str:
    """A name for people: the project, or the end of the path."""
    if directory.project is not None:
        return directory.project.name
    parts = Path(directory.path).parts
    if parts[-2:-1] in (("agent-memory",), ("agent-memory-local",)):
        return f"{parts[-1]} ({scope_of(directory)} agent)"
    if parts[-1:] == ("memory",) and len(parts) > 1:
        return parts[-2]
    return "/".join(parts[-2:])


def scope_of(directory: Directory) -> str:
    """Whom an agent's memory is for."""
    folder = decode_path(directory.path).parent
    if folder.name == "agent-memory-local":
        return f"{folder.parent.parent.name}, local"
    return folder.parent.parent.name if folder.parent.name == ".claude" and folder.parent != _config() else "user"


def _config() -> Path:
    return Path(os.path.realpath(settings.CLAUDE_CONFIG_DIR))


def config_of(directory: Directory) -> Path:
    """The configuration directory that contains it, or else that of this machine."""
    path = decode_path(directory.path)
    usual = path.name == "memory" and path.parent.parent.name == "projects"
    return path.parents[2] if usual else Path(settings.CLAUDE_CONFIG_DIR)


def checkout_of(directory: Directory) -> Path | None:
    """The project's working directory, if it exists on this machine."""
    cwd = directory.project.cwd if directory.project else ""
    path = decode_path(cwd) if cwd else None
    return path if path is not None and path.is_absolute() and path.is_dir() else None


def list_files(directory: Directory) -> list[ListedFile]:
    """Lists all files by name. Raises FileTroubleError."""
    with Folder(decode_path(directory.path)) as folder:
        files = [_list_file(encode_path(name), status) for name, status in folder.stats()]
    return sorted(files, key=attrgetter("name"))


def directory_exists(directory: Directory) -> bool:
    try:
        with Folder(decode_path(directory.path)):
            return True
    except FileTroubleError:
        return False


def _list_file(name: str, status: os.stat_result | OSError) -> ListedFile:
    if isinstance(status, OSError):
        return ListedFile(name, 0, 0, f"It cannot be looked at ({reason_of(status)}).")
    return ListedFile(name, status.st_size, status.st_mtime_ns)
