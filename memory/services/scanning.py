"""Notices what others changed in memory directories."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from memory.engine.disk import DirectoryGoneError, Folder
from memory.engine.mentions import place_of
from memory.models import Batch, Directory, Version
from memory.services.gleaning import memory_glean, versions_link
from memory.services.locking import memory_lock, on_disk
from memory.services.looking import directory_look, look_note
from memory.services.settling import batches_settle
from memory.services.writing import directory_register
from sessions.engine.paths import kept, opened


@dataclass(slots=True)
class Scan:
    files: int = 0
    """That are there."""
    read: int = 0
    rows: int = 0
    """That were written; none if nothing has changed."""
    batch: Batch | None = None
    versions: list[Version] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    """A sentence for each file that cannot be kept: unreadable, or too large."""


def memory_scan(*, directory: Directory) -> Scan:
    """Makes versions of whatever is not as we last saw it."""
    with memory_lock(), ExitStack() as stack:
        batches_settle()
        try:
            folder = stack.enter_context(Folder(opened(directory.path)))
        except DirectoryGoneError:
            folder = None
        look = directory_look(directory, folder)
        if not look.found and directory.scanned_at is not None:
            return Scan(look.files, look.read, skipped=look.skipped)
        with on_disk():
            noted = look_note(look=look)
        return Scan(look.files, look.read, noted.rows, noted.batch, noted.versions, look.skipped)


def memory_scan_below(*, projects: Path) -> list[Scan]:
    """Every `<project>/memory` below the directory of projects."""
    return [memory_scan(directory=directory_register(path=kept(path))) for path in memory_directories(projects)]


def memory_follow(*, projects: Path, changed: Iterable[Path] | None = None, transcripts: Collection[int] = ()) -> None:
    """What the watcher does when it saw paths change, or, without any, when it looks at everything: files become
    versions, and versions find the entries that wrote them."""
    if changed is None:
        scans = memory_scan_below(projects=projects)
    else:
        paths = sorted(directories_of(projects, changed))
        scans = [memory_scan(directory=directory_register(path=kept(path))) for path in paths]
    versions = [version for scan in scans for version in scan.versions]
    if changed is None or transcripts:
        memory_glean(transcripts=None if changed is None else transcripts)
    versions_link(spots={(place_of(version.directory.path), version.name) for version in versions})


def memory_follow_one(*, directory: Directory) -> Scan:
    """The same for one directory, now."""
    scan = memory_scan(directory=directory)
    versions_link(spots={(place_of(version.directory.path), version.name) for version in scan.versions})
    return scan


def memory_directories(projects: Path) -> list[Path]:
    """Those that are there, and those that we have seen there."""
    there = {path for path in projects.glob("*/memory") if path.is_dir()}
    seen = Directory.objects.filter(path__startswith=f"{kept(projects.resolve())}/", path__endswith="/memory")
    known = {opened(path) for path in seen.values_list("path", flat=True)}
    return sorted(there | {path for path in known if path not in {one.resolve() for one in there}})


def directories_of(projects: Path, changed: Iterable[Path]) -> set[Path]:
    """The memory directories that these paths lie in."""
    depth = len(projects.parts)
    return {
        Path(*path.parts[: depth + 2])
        for path in changed
        if len(path.parts) > depth + 1 and path.parts[depth + 1] == "memory" and path.is_relative_to(projects)
    }
