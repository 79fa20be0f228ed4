"""Makes versions of what is on disk where it is not what we last saw: a file that is new, changed, renamed or gone."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import OuterRef, Subquery

from inspector.web.clock import now_ms
from memory.files.engine.disk import FileContent, FileStatus
from memory.files.engine.merging import lines_of, match_lines
from memory.files.engine.newlines import newline_style, text_for_editing
from memory.history.selectors.contents import contents_readable
from memory.history.services.blob_storage import blobs_store
from memory.models import (
    Batch,
    Cause,
    Directory,
    File,
    Version,
)

STATUS = ("size", "mtime_ns", "ctime_ns", "device", "inode")
FEW = 500
"""Names in one statement; for more, all are fetched."""
TICK_NS = 100_000_000
"""Longer than the clock of a file system takes to move on."""


@dataclass(slots=True)
class Change:
    file: File
    found: FileContent | None
    name: str


@dataclass(slots=True)
class Noted:
    batch: Batch | None = None
    versions: list[Version] = field(default_factory=list)
    rows: int = 0
    """That were written: none if nothing has changed."""


def files_known(directory: Directory, names: Collection[str] | None = None) -> dict[str, File]:
    """The files that should be there, all or those with the names, with one query."""
    rows = File.objects.filter(directory=directory, state=File.State.PRESENT)
    if names is not None and len(names) < FEW:
        rows = rows.filter(name__in=names)
    return {file.name: file for file in rows.select_related("current__blob").defer("current__blob__data")}


def is_same(file: File, status: FileStatus) -> bool:
    """Nothing tells that the file has changed since we read it."""
    if any(getattr(file, name) != getattr(status, name) for name in STATUS):
        return False
    mode = file.current.mode if file.current else None
    return status.mode == mode and max(status.mtime_ns, status.ctime_ns) < file.read_ns - TICK_NS


def remember(file: File, status: FileStatus | None) -> None:
    """What `is_same` will compare with. None: the file has to be read next time."""
    for name in STATUS:
        setattr(file, name, getattr(status, name) if status else 0)
    file.read_ns = time.time_ns() if status else 0


def note(*, directory: Directory, found: Mapping[str, FileContent | None], known: Mapping[str, File]) -> Noted:
    """`found`: what was read just now, by name; None: it is no longer there. In a transaction, under the lock."""
    gone, new, changed, same = _sorted(directory, found, known)
    changes = [*changed, *_renamed(gone, new)]
    changes += [Change(file, None, file.name) for file in gone]
    changes += _returned(directory, new)
    done = Noted(rows=len(same))
    for file in same:
        file.save(update_fields=[*STATUS, "read_ns"])
    if not changes:
        return done
    cause = Cause.FIRST if directory.scanned_at is None and all(c.file.pk is None for c in changes) else Cause.OUTSIDE
    done.batch = Batch.objects.create(cause=cause, at=now_ms())
    done.versions = versions_write(batch=done.batch, changes=changes)
    done.rows += len(changes) * 2 + 1
    return done


def _sorted(
    directory: Directory, found: Mapping[str, FileContent | None], known: Mapping[str, File]
) -> tuple[list[File], dict[str, FileContent], list[Change], list[File]]:
    gone: list[File] = []
    new: dict[str, FileContent] = {}
    changed: list[Change] = []
    same: list[File] = []
    for name, now in found.items():
        file = known.get(name)
        if file is None:
            if now is not None:
                new[name] = now
        elif now is None:
            gone.append(file)
        elif not _holds(file, now):
            changed.append(Change(file, now, name))
        elif any(getattr(file, field) != getattr(now.status, field) for field in STATUS):
            remember(file, now.status)
            same.append(file)
    return gone, new, changed, same


def _holds(file: File, found: FileContent) -> bool:
    current = file.current
    return bool(current and current.blob and current.blob.digest == found.digest and current.mode == found.status.mode)


def _renamed(gone: list[File], new: dict[str, FileContent]) -> list[Change]:
    """A file that went while another came with its content, or with its inode and most of its lines: the same one under
    a new name. Takes them off both lists."""
    by_inode = {(found.status.device, found.status.inode): name for name, found in new.items()}
    by_content: dict[str, list[str]] = {}
    for name, found in new.items():
        if found.data:
            by_content.setdefault(found.digest, []).append(name)
    held = contents_readable(file.current for file in gone if file.current and (file.device, file.inode) in by_inode)
    changes: list[Change] = []
    for file in list(gone):
        current = file.current
        alike = by_content.get(current.blob.digest, []) if current and current.blob else []
        to = alike[0] if len(alike) == 1 else by_inode.get((file.device, file.inode))
        if to is None or to not in new or current is None:
            continue
        # The system gives the inode of a deleted file to the next one that is made.
        if not alike and not _similar(held.get(current.blob_id or 0, b""), new[to].data):
            continue
        changes.append(Change(file, new.pop(to), to))
        gone.remove(file)
    return changes


def _similar(old: bytes, new: bytes) -> bool:
    before, after = lines_of(text_for_editing(old)), lines_of(text_for_editing(new))
    return 2 * sum(match.size for match in match_lines(before, after)) > max(len(before), len(after), 1)


def _returned(directory: Directory, new: Mapping[str, FileContent]) -> list[Change]:
    """New files go on with the history of the last one that had their name."""
    earlier = last_deleted(directory, new)
    return [
        Change(earlier.get(name) or File(directory=directory, name=name), found, name) for name, found in new.items()
    ]


def last_deleted(directory: Directory, names: Iterable[str]) -> dict[str, File]:
    wanted = set(names)
    if not wanted:
        return {}
    rows = File.objects.filter(directory=directory, state=File.State.DELETED).select_related("current").order_by("pk")
    if len(wanted) < FEW:
        rows = rows.filter(name__in=wanted)
    return {file.name: file for file in rows if file.name in wanted}


def versions_write(*, batch: Batch, changes: list[Change]) -> list[Version]:
    """The next version of each file, which is then as it says."""
    blobs = blobs_store(contents={c.found.digest: c.found.data for c in changes if c.found})
    versions = []
    for change in changes:
        file, found = change.file, change.found
        parent = file.current
        file.name = change.name
        if found:
            remember(file, found.status)
        versions.append(
            next_version(
                file,
                batch,
                directory=file.directory,
                blob_id=blobs[found.digest] if found else None,
                mode=found.status.mode if found else parent.mode if parent else 0o644,
                newlines=newline_style(found.data) if found else "none",
                mtime_ns=found.status.mtime_ns if found else 0,
            )
        )
    versions_insert(versions)
    return versions


def next_version(file: File, batch: Batch, **fields: Any) -> Version:
    """Of a file that has its new name by now."""
    parent = file.current
    number = parent.number + 1 if parent else 1
    common = {"parent": parent, "name": file.name, "cause": batch.cause, "at": batch.at}
    return Version(file=file, number=number, batch=batch, **common, **fields)


def versions_insert(versions: list[Version]) -> None:
    """The rows of versions, and of their files, in an order in which no two present files share a name."""
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
