"""Restores versions, undoes batches, and rolls directories back. Each is a batch itself: an undo can be undone."""

from __future__ import annotations

from collections.abc import Mapping

from memory.files.engine.clash import ChangedMeanwhileError, Clash
from memory.files.engine.disk import FileTroubleError, check_new_name, readable_name
from memory.files.services.scanning import memory_scan
from memory.history.selectors.contents import contents_of
from memory.history.selectors.history import versions_at
from memory.history.services.batches import NothingToChangeError, batch_make
from memory.history.services.moves import FileLocation, Move
from memory.models import Batch, Cause, Directory, File, Version


class NotUndoableError(FileTroubleError):
    """The batch cannot be undone."""


def version_restore(*, version: Version, expected: str | None, name: str = "", message: str = "") -> Batch:
    """Restores the content of a version. `expected`: the digest of the current content; None if the file is deleted.
    `name`: a new name, if another file has the old one by now."""
    memory_scan(directory=version.file.directory)
    file = File.objects.select_related("directory").get(pk=version.file_id)
    content = contents_of([version]).get(version.blob_id or 0)
    source = FileLocation(file.directory, file.name) if file.state == File.State.PRESENT else None
    # A deleted file is restored with a readable name; an existing one keeps its name.
    target_name = name or (file.name if source else readable_name(file.name))
    if name:
        check_new_name(name)
    target = FileLocation(file.directory, target_name) if content is not None else None
    if source is None and target is None:
        raise NothingToChangeError(f"{file.name} is deleted, and was so in that version.")
    move = Move(
        source,
        target,
        content,
        expected,
        mode=version.mode if content is not None else None,
        mtime_ns=version.mtime_ns or None,
        file=file,
        restored=version,
    )
    return batch_make(moves=[move], cause=Cause.RESTORE, message=message, make_directory=content is not None)


def batch_undo(*, batch: Batch, resolved: Mapping[int, bytes | None] | None = None, message: str = "") -> Batch:
    """Restores every file to its state before the batch. If some were changed since, nothing is written, and the error
    has a clash for each; `resolved` has their new contents by the key of the clash."""
    versions = _versions_to_undo(batch)
    for directory in {version.file.directory for version in versions}:
        memory_scan(directory=directory)
    rows = File.objects.select_related("directory", "current__blob").defer("current__blob__data")
    files = rows.in_bulk([version.file_id for version in versions])
    currents = [file.current for file in files.values()]
    contents = contents_of(state for version in versions for state in (version, version.parent, *currents) if state)
    moves: list[Move] = []
    clashes: list[Clash] = []
    for version in versions:
        file = files[version.file_id]
        assert file.current is not None
        content = _content_in(version.parent, contents)
        if file.current.blob_id != version.blob_id or _was_renamed_again(version, file):
            if resolved is None or version.pk not in resolved:
                base, theirs = _content_in(version, contents), _content_in(file.current, contents)
                clashes.append(Clash(file.directory.path, file.name, base, content, theirs, version.pk))
                continue
            content = resolved[version.pk]
        moves += _undo_moves(version, file, content)
    if clashes:
        raise ChangedMeanwhileError(tuple(clashes))
    if not moves:
        raise NothingToChangeError("Nothing would change: the files are already as they were before.")
    return batch_make(moves=moves, cause=Cause.UNDO, message=message, undoes=batch, make_directory=True)


def memory_roll_back(*, directory: Directory, to: Batch, message: str = "") -> Batch:
    """Restores all files of the directory to their state right after the batch."""
    memory_scan(directory=directory)
    earlier_versions = {version.file_id: version for version in versions_at(directory, to)}
    present = File.objects.filter(directory=directory, state=File.State.PRESENT)
    files = {
        file.pk: file for file in present.select_related("directory", "current__blob").defer("current__blob__data")
    }
    files |= File.objects.select_related("directory", "current__blob").in_bulk(
        [pk for pk in earlier_versions if pk not in files]
    )
    contents = contents_of(earlier_versions.values())
    moves: list[Move] = []
    for file in files.values():
        was = earlier_versions.get(file.pk)
        is_present = file.state == File.State.PRESENT
        digest = file.current.blob.digest if is_present and file.current and file.current.blob else None
        source = FileLocation(file.directory, file.name) if digest else None
        if was is None or was.blob_id is None:
            if source:
                moves.append(Move(source, None, expected=digest, file=file))
            continue
        target = FileLocation(directory, was.name)
        same = source and source.key == target.key and file.current and file.current.blob_id == was.blob_id
        if same and file.current and file.current.mode == was.mode:
            continue
        content = contents[was.blob_id]
        moves.append(Move(source, target, content, digest, was.mode, was.mtime_ns or None, file=file, restored=was))
    if not moves:
        raise NothingToChangeError("Nothing would change: the directory is as it was then.")
    return batch_make(moves=moves, cause=Cause.RESTORE, message=message, make_directory=True)


def _versions_to_undo(batch: Batch) -> list[Version]:
    if batch.state != Batch.State.DONE:
        raise NotUndoableError("That was put back when it failed; there is nothing to undo.")
    if batch.cause == Cause.FIRST:
        raise NotUndoableError("That is how the files were first seen; there is nothing before it.")
    rows = Version.objects.filter(batch=batch).select_related("parent__directory", "file__directory")
    return list(rows.order_by("pk"))


def _content_in(version: Version | None, contents: Mapping[int, bytes]) -> bytes | None:
    return contents.get(version.blob_id or 0) if version else None


def _was_renamed(version: Version) -> bool:
    """Was the file renamed in this version?"""
    parent = version.parent
    return parent is not None and (parent.directory_id, parent.name) != (version.directory_id, version.name)


def _was_renamed_again(version: Version, file: File) -> bool:
    """Was the file renamed in this version, and again later?"""
    return _was_renamed(version) and (file.directory_id, file.name) != (version.directory_id, version.name)


def _undo_moves(version: Version, file: File, content: bytes | None) -> list[Move]:
    parent = version.parent
    location = FileLocation(file.directory, file.name)
    digest = file.current.blob.digest if file.current and file.current.blob else None
    source = location if digest is not None else None
    if content is None:
        return [Move(source, None, expected=digest, file=file, clash_key=version.pk)] if source else []
    back = _was_renamed(version) and not _was_renamed_again(version, file)
    target = FileLocation(parent.directory, parent.name) if back and parent else location
    restored = parent if parent and parent.blob_id is not None else None
    mtime = restored.mtime_ns if restored else 0
    return [
        Move(
            source,
            target,
            content,
            digest,
            mode=parent.mode if parent else None,
            mtime_ns=mtime or None,
            file=file,
            restored=restored,
            clash_key=version.pk,
        )
    ]
