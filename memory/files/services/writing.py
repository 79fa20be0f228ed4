"""Writes of memory files, as pages, commands and runs ask for them. Each is a batch that can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inspector.locks.hosts import this_host
from memory.files.engine.disk import (
    FileContent,
    Folder,
    disk_name,
    real_path,
)
from memory.files.services.memory_lock import memory_lock, on_disk
from memory.history.engine.mentions import place_of
from memory.history.services.batch_recovery import batches_settle
from memory.history.services.batches import batch_make
from memory.history.services.moves import Entry, Move, Spot
from memory.history.services.version_recording import files_known, note
from memory.models import (
    Batch,
    Cause,
    Directory,
    File,
    Reached,
)
from sessions.models import Project
from sessions.transcripts.engine.paths import kept, opened


@dataclass(frozen=True, slots=True)
class Opened:
    """A file as it is now. `file` has the version that says so."""

    file: File
    found: FileContent

    @property
    def digest(self) -> str:
        """What a write has to give as `expected`."""
        return self.found.digest


def directory_register(*, path: str) -> Directory:
    """The row of a memory directory, whether it is there or not. Which paths may be one is decided elsewhere."""
    real = kept(real_path(opened(path)))
    parents = {one.rstrip("/").rpartition("/")[0] for one in (real, path)}
    project = Project.objects.filter(directory__in=parents).first()
    directory, made = Directory.every.get_or_create(path=real, defaults={"project": project, "host": this_host()})
    if made and place_of(real) == real:
        # It lies where nobody looks for one: what sessions say of it has to be looked for again.
        Reached.objects.update(entries=0, position=0)
    if directory.project_id is None and project is not None:
        directory.project = project
        directory.save(update_fields=["project"])
    return directory


def memory_open(*, directory: Directory, name: str) -> Opened | None:
    """Reads a file for somebody who may write it back: what they see is in the history by then. None: there is none."""
    with memory_lock(), Folder(opened(directory.path)) as folder:
        batches_settle()
        found = folder.read(disk_name(name))
        known = files_known(directory, [name])
        file = known.get(name)
        if found is None and file is None:
            return None
        with on_disk():
            noted = note(directory=directory, found={name: found}, known=known)
        if found is None:
            return None
        return Opened(noted.versions[0].file if noted.versions else known[name], found)


def memory_write(
    *,
    directory: Directory,
    name: str,
    content: bytes | str,
    expected: str | None,
    cause: Cause = Cause.EDIT,
    message: str = "",
    run_id: int | None = None,
    entry: Entry | None = None,
) -> Batch:
    """`expected`: the digest of what the writer has seen, None for a new file."""
    move = write(directory, name, content, expected, entry)
    return batch_make(moves=[move], cause=cause, message=message, run_id=run_id)


def memory_delete(*, directory: Directory, name: str, expected: str, message: str = "") -> Batch:
    return batch_make(moves=[delete(directory, name, expected)], cause=Cause.EDIT, message=message)


def memory_rename(
    *, directory: Directory, name: str, to: str, expected: str, into: Directory | None = None, message: str = ""
) -> Batch:
    """`into`: another directory, if it moves there. The history goes with it."""
    return batch_make(moves=[rename(directory, name, to, expected, into)], cause=Cause.EDIT, message=message)


def memory_change(
    *, moves: Sequence[Move], cause: Cause = Cause.EDIT, message: str = "", run_id: int | None = None
) -> Batch:
    """Several files as one: see `write`, `delete` and `rename`."""
    return batch_make(moves=moves, cause=cause, message=message, run_id=run_id)


def write(
    directory: Directory, name: str, content: bytes | str, expected: str | None, entry: Entry | None = None
) -> Move:
    spot = Spot(directory, name)
    return Move(spot if expected is not None else None, spot, content, expected, entry=entry)


def delete(directory: Directory, name: str, expected: str) -> Move:
    return Move(Spot(directory, name), None, expected=expected)


def rename(
    directory: Directory, name: str, to: str, expected: str, into: Directory | None = None, content: str | None = None
) -> Move:
    """`content`: if it changes on the way."""
    return Move(Spot(directory, name), Spot(into or directory, to), content, expected)
