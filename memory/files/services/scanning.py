"""Notices changes that other programs made to memory directories."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from inspector.locks.hosts import own_hosts
from inspector.web.clock import now_ms
from memory.files.engine.disk import DirectoryGoneError, FileTroubleError, Folder
from memory.files.services.directory_changes import changes_record, directory_compare
from memory.files.services.memory_lock import memory_lock, on_disk
from memory.files.services.writing import directory_register
from memory.history.engine.mentions import place_of
from memory.history.services.batch_recovery import batches_recover, temporaries_remove
from memory.history.services.touch_index import touches_index, versions_link
from memory.models import Batch, Directory, Version
from sessions.imports.engine.discovery import is_inside
from sessions.transcripts.engine.paths import decode_path, encode_path

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class ScanResult:
    files: int = 0
    """Existing files."""
    read: int = 0
    rows: int = 0
    """Rows written; none if nothing has changed."""
    batch: Batch | None = None
    versions: list[Version] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    """A sentence for each file that is unreadable or too large."""


def memory_scan(*, directory: Directory) -> ScanResult:
    """Records a version of each file that has changed since the last scan."""
    with memory_lock(), ExitStack() as stack:
        batches_recover()
        try:
            folder = stack.enter_context(Folder(decode_path(directory.path)))
        except DirectoryGoneError:
            if directory.host not in own_hosts():
                return ScanResult()  # the directory is on another host
            folder = None
        if folder is not None:
            temporaries_remove(folder, now_ms() / 1000)
        changes = directory_compare(directory, folder)
        if not changes.contents and directory.scanned_at is not None:
            return ScanResult(changes.files, changes.read, skipped=changes.skipped)
        with on_disk():
            recorded = changes_record(changes=changes)
        return ScanResult(
            changes.files, changes.read, recorded.rows, recorded.batch, recorded.versions, changes.skipped
        )


def memory_scan_below(*, projects: Path) -> list[ScanResult]:
    """Scans every `<project>/memory`: the existing ones, and those that existed before."""
    paths = [path for path in sorted(projects.glob("*/memory")) if _is_ours(projects, path)]
    present = [directory_register(path=encode_path(path)) for path in paths]
    root = encode_path(projects.resolve())
    registered = Directory.objects.filter(path__startswith=f"{root}/", path__endswith="/memory", host__in=own_hosts())
    missing = registered.exclude(pk__in=[directory.pk for directory in present]).order_by("path")
    return [_try_scan(directory) for directory in (*present, *missing)]


def memory_follow(*, projects: Path, changed: Iterable[Path] | None = None, transcripts: Collection[int] = ()) -> None:
    """Scans the directories with changed paths, or all if there are none given, and links the new versions to the
    entries that wrote them. Called by the watcher."""
    if changed is None:
        scans = memory_scan_below(projects=projects)
    else:
        scans = [
            _try_scan(directory)
            for path in sorted(directories_of(projects, changed))
            for directory in _directories_at(projects, path)
        ]
    versions = [version for scan in scans for version in scan.versions]
    if changed is None or transcripts:
        touches_index(transcripts=None if changed is None else transcripts)
    versions_link(files={(place_of(version.directory.path), version.name) for version in versions})


def memory_follow_one(*, directory: Directory) -> ScanResult:
    """Like `memory_follow`, for one directory."""
    scan = memory_scan(directory=directory)
    versions_link(files={(place_of(version.directory.path), version.name) for version in scan.versions})
    return scan


def _directories_at(projects: Path, path: Path) -> list[Directory]:
    if _is_ours(projects, path):
        return [directory_register(path=encode_path(path))]
    return list(Directory.objects.filter(path=encode_path(path.parent.resolve() / path.name)))


def _is_ours(projects: Path, path: Path) -> bool:
    """Links are not followed: their targets are either found at their own path or not ours."""
    return path.is_dir() and is_inside(projects, path)


def _try_scan(directory: Directory) -> ScanResult:
    """A directory that cannot be scanned does not stop the scan of the others."""
    try:
        return memory_scan(directory=directory)
    except FileTroubleError as error:
        logger.warning("memory_not_scanned", extra={"directory": directory.path, "error": str(error)})
        return ScanResult(skipped=[str(error)])


def directories_of(projects: Path, changed: Iterable[Path]) -> set[Path]:
    """The memory directories that contain these paths."""
    depth = len(projects.parts)
    return {
        Path(*path.parts[: depth + 2])
        for path in changed
        if len(path.parts) > depth + 1 and path.parts[depth + 1] == "memory" and path.is_relative_to(projects)
    }
