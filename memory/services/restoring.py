"""Back to what was: one version, a batch as a whole, or a directory as it was at some time. Each is a batch itself, so
an undo can be undone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memory.engine.clash import ChangedMeanwhileError, Clash
from memory.engine.disk import DirectoryGoneError, FileTroubleError, Folder, Found, file_name
from memory.models import Batch, Cause, Directory, File, Version
from memory.selectors.contents import contents_of
from memory.selectors.history import versions_at
from memory.services.batches import NothingToChangeError, batch_make
from memory.services.moves import Move, Spot
from memory.services.scanning import memory_scan
from sessions.engine.paths import opened


class NotUndoableError(FileTroubleError):
    """There is nothing that could be taken back."""


def version_restore(*, version: Version, expected: str | None, message: str = "") -> Batch:
    """The file holds again what it held then, under the name that it has now, or had last. `expected`: the digest of
    what is there now; None if it is deleted."""
    file = File.objects.select_related("directory").get(pk=version.file_id)
    content = contents_of([version]).get(version.blob_id or 0)
    spot = Spot(file.directory, file.name)
    move = Move(
        spot if expected is not None else None,
        spot if content is not None else None,
        content,
        expected,
        mode=version.mode if content is not None else None,
        mtime_ns=version.mtime_ns or None,
        file=file,
        restored=version,
    )
    if move.source is None and move.target is None:
        raise NothingToChangeError(f"{file.name} is deleted, and was so in that version.")
    return batch_make(moves=[move], cause=Cause.RESTORE, message=message, make_directory=content is not None)


def batch_undo(*, batch: Batch, resolved: Mapping[int, bytes | None] | None = None, message: str = "") -> Batch:
    """Every file as it was before the batch. If any has been changed since, nothing is done, and the error has a merge
    for each of those; `resolved` then gives what they shall hold, by the key of the clash."""
    versions = _undoable(batch)
    files = File.objects.select_related("directory", "current__blob").in_bulk([version.file_id for version in versions])
    contents = contents_of(one for version in versions for one in (version, version.parent) if one)
    now = _now(files.values())
    moves: list[Move] = []
    clashes: list[Clash] = []
    for version in versions:
        file, parent = files[version.file_id], version.parent
        there = now[file.pk]
        before = contents.get(parent.blob_id or 0) if parent else None
        digest = there.digest if there else None
        after = version.blob.digest if version.blob else None
        moved = parent is not None and (parent.directory_id, parent.name) != (version.directory_id, version.name)
        strayed = moved and (file.directory_id, file.name) != (version.directory_id, version.name)
        wanted = before
        if digest != after or strayed:
            if resolved is None or version.pk not in resolved:
                base = contents.get(version.blob_id or 0)
                theirs = there.data if there else None
                clashes.append(Clash(file.directory.path, file.name, base, before, theirs, version.pk))
                continue
            wanted = resolved[version.pk]
        moves += _back(version, file, wanted, digest, moved=moved and not strayed)
    if clashes:
        raise ChangedMeanwhileError(tuple(clashes))
    if not moves:
        raise NothingToChangeError("Nothing would change: the files are already as they were before.")
    return batch_make(moves=moves, cause=Cause.UNDO, message=message, undoes=batch, make_directory=True)


def memory_roll_back(*, directory: Directory, to: Batch, message: str = "") -> Batch:
    """All files of the directory as they were right after that batch, whatever happened since."""
    memory_scan(directory=directory)
    then = {version.file_id: version for version in versions_at(directory, to)}
    present = File.objects.filter(directory=directory, state=File.State.PRESENT)
    files = {
        file.pk: file for file in present.select_related("directory", "current__blob").defer("current__blob__data")
    }
    files |= File.objects.select_related("directory", "current__blob").in_bulk([pk for pk in then if pk not in files])
    contents = contents_of(then.values())
    moves: list[Move] = []
    for file in files.values():
        was = then.get(file.pk)
        here = file.state == File.State.PRESENT
        digest = file.current.blob.digest if here and file.current and file.current.blob else None
        source = Spot(file.directory, file.name) if digest else None
        if was is None or was.blob_id is None:
            if source:
                moves.append(Move(source, None, expected=digest, file=file))
            continue
        target = Spot(directory, was.name)
        same = source and source.key == target.key and file.current and file.current.blob_id == was.blob_id
        if same and file.current and file.current.mode == was.mode:
            continue
        content = contents[was.blob_id]
        moves.append(Move(source, target, content, digest, was.mode, was.mtime_ns or None, file=file, restored=was))
    if not moves:
        raise NothingToChangeError("Nothing would change: the directory is as it was then.")
    return batch_make(moves=moves, cause=Cause.RESTORE, message=message, make_directory=True)


def _undoable(batch: Batch) -> list[Version]:
    if batch.state != Batch.State.DONE:
        raise NotUndoableError("That was put back when it failed; there is nothing to undo.")
    if batch.cause == Cause.FIRST:
        raise NotUndoableError("That is how the files were first seen; there is nothing before it.")
    rows = Version.objects.filter(batch=batch).select_related("blob", "parent").defer("blob__data").order_by("pk")
    return list(rows)


def _now(files: Iterable[File]) -> dict[int, Found | None]:
    """What is on disk where each file is, or was last."""
    found: dict[int, Found | None] = {}
    by_directory: dict[str, list[File]] = {}
    for file in files:
        by_directory.setdefault(file.directory.path, []).append(file)
    for path, some in by_directory.items():
        try:
            with Folder(opened(path)) as folder:
                found |= {file.pk: folder.read(file_name(file.name)) for file in some}
        except DirectoryGoneError:
            found |= {file.pk: None for file in some}
    return found


def _back(version: Version, file: File, wanted: bytes | None, digest: str | None, *, moved: bool) -> list[Move]:
    parent = version.parent
    here = Spot(file.directory, file.name)
    source = here if digest is not None else None
    if wanted is None:
        return [Move(source, None, expected=digest, file=file, clash_key=version.pk)] if source else []
    target = Spot(parent.directory, parent.name) if moved and parent else here
    restored = parent if parent and parent.blob_id is not None else None
    return [
        Move(
            source,
            target,
            wanted,
            digest,
            mode=parent.mode if parent else None,
            mtime_ns=restored.mtime_ns or None if restored else None,
            file=file,
            restored=restored,
            clash_key=version.pk,
        )
    ]
