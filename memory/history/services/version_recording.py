"""Records versions of files on disk that are new, changed, renamed or deleted since the last scan."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import OuterRef, Subquery

from inspector.web.clock import now_ms
from memory.files.engine.disk import FileContent, FileStatus
from memory.files.engine.merging import match_lines
from memory.files.engine.newlines import newline_style, text_for_editing
from memory.files.engine.reading.text import split_lines
from memory.history.selectors.contents import readable_contents_of
from memory.history.services.blob_storage import blobs_store
from memory.models import Batch, Cause, Directory, File, Version

STATUS = ("size", "mtime_ns", "ctime_ns", "device", "inode")
FEW = 500
"""Names in one query; for more, all are fetched."""
TICK_NS = 100_000_000
"""Longer than one tick of a file system's clock."""


@dataclass(slots=True)
class FileChange:
    file: File
    content: FileContent | None
    name: str


@dataclass(slots=True)
class RecordedChanges:
    batch: Batch | None = None
    versions: list[Version] = field(default_factory=list)
    rows: int = 0
    """Rows written: none if nothing has changed."""


def files_known(directory: Directory, names: Collection[str] | None = None) -> dict[str, File]:
    """The present files, all or those with these names; one query."""
    rows = File.objects.filter(directory=directory, state=File.State.PRESENT)
    if names is not None and len(names) < FEW:
        rows = rows.filter(name__in=names)
    return {file.name: file for file in rows.select_related("current__blob").defer("current__blob__data")}


def is_same(file: File, status: FileStatus) -> bool:
    """Is there no sign that the file has changed since it was read?"""
    if any(getattr(file, name) != getattr(status, name) for name in STATUS):
        return False
    mode = file.current.mode if file.current else None
    return status.mode == mode and max(status.mtime_ns, status.ctime_ns) < file.read_ns - TICK_NS


def store_status(file: File, status: FileStatus | None) -> None:
    """Stores what `is_same` compares with. None: the file has to be read next time."""
    for name in STATUS:
        setattr(file, name, getattr(status, name) if status else 0)
    file.read_ns = time.time_ns() if status else 0


def versions_record(
    *, directory: Directory, contents: Mapping[str, FileContent | None], files: Mapping[str, File]
) -> RecordedChanges:
    """`contents`: just read, by name; None for deleted files. Needs a transaction and the memory lock."""
    deleted, new, changed, same = _classify(directory, contents, files)
    changes = [*changed, *_find_renamed(deleted, new)]
    changes += [FileChange(file, None, file.name) for file in deleted]
    changes += _find_returned(directory, new)
    recorded = RecordedChanges(rows=len(same))
    for file in same:
        file.save(update_fields=[*STATUS, "read_ns"])
    if not changes:
        return recorded
    cause = Cause.FIRST if directory.scanned_at is None and all(c.file.pk is None for c in changes) else Cause.OUTSIDE
    recorded.batch = Batch.objects.create(cause=cause, at=now_ms())
    recorded.versions = versions_write(batch=recorded.batch, changes=changes)
    recorded.rows += len(changes) * 2 + 1
    return recorded


def _classify(
    directory: Directory, contents: Mapping[str, FileContent | None], files: Mapping[str, File]
) -> tuple[list[File], dict[str, FileContent], list[FileChange], list[File]]:
    deleted: list[File] = []
    new: dict[str, FileContent] = {}
    changed: list[FileChange] = []
    same: list[File] = []
    for name, now in contents.items():
        file = files.get(name)
        if file is None:
            if now is not None:
                new[name] = now
        elif now is None:
            deleted.append(file)
        elif not _has_content(file, now):
            changed.append(FileChange(file, now, name))
        elif any(getattr(file, field) != getattr(now.status, field) for field in STATUS):
            store_status(file, now.status)
            same.append(file)
    return deleted, new, changed, same


def _has_content(file: File, content: FileContent) -> bool:
    current = file.current
    return bool(
        current and current.blob and current.blob.digest == content.digest and current.mode == content.status.mode
    )


def _find_renamed(deleted: list[File], new: dict[str, FileContent]) -> list[FileChange]:
    """A deleted file and a new one with the same content, or the same inode and most of the lines, are one renamed
    file. Removes them from both collections."""
    by_inode = {(content.status.device, content.status.inode): name for name, content in new.items()}
    by_content: dict[str, list[str]] = {}
    for name, content in new.items():
        if content.data:
            by_content.setdefault(content.digest, []).append(name)
    contents = readable_contents_of(
        file.current for file in deleted if file.current and (file.device, file.inode) in by_inode
    )
    changes: list[FileChange] = []
    for file in list(deleted):
        current = file.current
        alike = by_content.get(current.blob.digest, []) if current and current.blob else []
        to = alike[0] if len(alike) == 1 else by_inode.get((file.device, file.inode))
        if to is None or to not in new or current is None:
            continue
        # The system reuses the inode of a deleted file for the next new one.
        if not alike and not _is_similar(contents.get(current.blob_id or 0, b""), new[to].data):
            continue
        changes.append(FileChange(file, new.pop(to), to))
        deleted.remove(file)
    return changes


def _is_similar(old: bytes, new: bytes) -> bool:
    before, after = split_lines(text_for_editing(old)), split_lines(text_for_editing(new))
    return 2 * sum(match.size for match in match_lines(before, after)) > max(len(before), len(after), 1)


def _find_returned(directory: Directory, new: Mapping[str, FileContent]) -> list[FileChange]:
    """New files continue the history of the last file of that name."""
    earlier = last_deleted(directory, new)
    return [
        FileChange(earlier.get(name) or File(directory=directory, name=name), content, name)
        for name, content in new.items()
    ]


def last_deleted(directory: Directory, names: Iterable[str]) -> dict[str, File]:
    wanted_names = set(names)
    if not wanted_names:
        return {}
    rows = File.objects.filter(directory=directory, state=File.State.DELETED).select_related("current").order_by("pk")
    if len(wanted_names) < FEW:
        rows = rows.filter(name__in=wanted_names)
    return {file.name: file for file in rows if file.name in wanted_names}


def versions_write(*, batch: Batch, changes: list[FileChange]) -> list[Version]:
    """Records the next version of each file."""
    blobs = blobs_store(contents={c.content.digest: c.content.data for c in changes if c.content})
    versions = []
    for change in changes:
        file, content = change.file, change.content
        parent = file.current
        file.name = change.name
        if content:
            store_status(file, content.status)
        versions.append(
            next_version(
                file,
                batch,
                directory=file.directory,
                blob_id=blobs[content.digest] if content else None,
                mode=content.status.mode if content else parent.mode if parent else 0o644,
                newlines=newline_style(content.data) if content else "none",
                mtime_ns=content.status.mtime_ns if content else 0,
            )
        )
    versions_insert(versions)
    return versions


def next_version(file: File, batch: Batch, **fields: Any) -> Version:
    """The file has its new name already."""
    parent = file.current
    number = parent.number + 1 if parent else 1
    common = {"parent": parent, "name": file.name, "cause": batch.cause, "at": batch.at}
    return Version(file=file, number=number, batch=batch, **common, **fields)


def versions_insert(versions: list[Version]) -> None:
    """Inserts versions and updates their files, in an order in which no two present files share a name."""
    files = [version.file for version in versions]
    old = [file for file in files if file.pk is not None]
    if old:
        File.objects.filter(pk__in=[file.pk for file in old]).update(state=File.State.DELETED)
    for version in versions:
        version.file.state = File.State.DELETED if version.blob_id is None else File.State.PRESENT
    if old:
        File.objects.bulk_update(old, ["directory", "name", "state", *STATUS, "read_ns"], batch_size=50)
    File.objects.bulk_create([file for file in files if file.pk is None], batch_size=500)
    Version.objects.bulk_create(versions, batch_size=200)
    latest = Version.objects.filter(file=OuterRef("pk")).order_by("-number").values("pk")[:1]
    File.objects.filter(versions__batch=versions[0].batch).update(current=Subquery(latest))
    for version in versions:
        version.file.current = version
