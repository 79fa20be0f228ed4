"""Writes memory files for pages, commands and runs. Each write is a batch that can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inspector.locks.hosts import this_host
from memory.files.engine.disk import FileContent, Folder, disk_name, real_path
from memory.files.services.memory_lock import memory_lock, on_disk
from memory.history.engine.mentions import place_of
from memory.history.services.batch_recovery import batches_recover
from memory.history.services.batches import batch_make
from memory.history.services.moves import FileLocation, Move, SourceEntry
from memory.history.services.version_recording import files_known, versions_record
from memory.models import Batch, Cause, Directory, File, Reached
from sessions.models import Project
from sessions.transcripts.engine.paths import decode_path, encode_path


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """The current content of a file, and its row, which has a version of it."""

    file: File
    content: FileContent

    @property
    def digest(self) -> str:
        """The `expected` of a following write."""
        return self.content.digest


def directory_register(*, path: str) -> Directory:
    """The row of a memory directory, which need not exist. The caller decides which paths are allowed."""
    real = encode_path(real_path(decode_path(path)))
    parents = {candidate.rstrip("/").rpartition("/")[0] for candidate in (real, path)}
    project = Project.objects.filter(directory__in=parents).first()
    directory, is_new = Directory.every.get_or_create(path=real, defaults={"project": project, "host": this_host()})
    if is_new and place_of(real) == real:
        # Not in the usual place: sessions have to be searched again for mentions of it.
        Reached.objects.update(entries=0, position=0)
    if directory.project_id is None and project is not None:
        directory.project = project
        directory.save(update_fields=["project"])
    return directory


def memory_open(*, directory: Directory, name: str) -> OpenedFile | None:
    """Reads a file that the caller may write back, and records it in the history. None: it does not exist."""
    with memory_lock(), Folder(decode_path(directory.path)) as folder:
        batches_recover()
        content = folder.read(disk_name(name))
        files = files_known(directory, [name])
        file = files.get(name)
        if content is None and file is None:
            return None
        with on_disk():
            recorded = versions_record(directory=directory, contents={name: content}, files=files)
        if content is None:
            return None
        return OpenedFile(recorded.versions[0].file if recorded.versions else files[name], content)


def memory_write(
    *,
    directory: Directory,
    name: str,
    content: bytes | str,
    expected: str | None,
    cause: Cause = Cause.EDIT,
    message: str = "",
    run_id: int | None = None,
    entry: SourceEntry | None = None,
) -> Batch:
    """`expected`: the digest of the text that the writer has seen, None for a new file."""
    move = write(directory, name, content, expected, entry)
    return batch_make(moves=[move], cause=cause, message=message, run_id=run_id)


def memory_change(
    *, moves: Sequence[Move], cause: Cause = Cause.EDIT, message: str = "", run_id: int | None = None
) -> Batch:
    """Changes several files as one batch: see `write`, `delete` and `rename`."""
    return batch_make(moves=moves, cause=cause, message=message, run_id=run_id)


def write(
    directory: Directory, name: str, content: bytes | str, expected: str | None, entry: SourceEntry | None = None
) -> Move:
    location = FileLocation(directory, name)
    return Move(location if expected is not None else None, location, content, expected, entry=entry)


def delete(directory: Directory, name: str, expected: str) -> Move:
    return Move(FileLocation(directory, name), None, expected=expected)


def rename(
    directory: Directory, name: str, to: str, expected: str, into: Directory | None = None, content: str | None = None
) -> Move:
    """`content`: the new text, if it changes as well."""
    return Move(FileLocation(directory, name), FileLocation(into or directory, to), content, expected)
