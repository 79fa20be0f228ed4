"""Changes several files as one batch: all of them, or none.

1. Under the lock, the files on disk are read and compared with what the caller has seen.
2. A transaction that is synced to disk records unseen changes as versions, stores the new contents, and stores the
   batch as begun, with its plan.
3. The new contents are written to temporary files; then each file is swapped. If anything fails, all are swapped back.
4. A second transaction records the new versions and marks the batch as done.

If a process dies between 2 and 4, the next one that takes the lock finishes its work: see `batch_recovery.py`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from django.db import Error as DatabaseError

from inspector.locks.hosts import this_host
from inspector.web.clock import now_ms
from memory.files.engine.clash import ChangedMeanwhileError, Clash
from memory.files.engine.disk import (
    AlreadyThereError,
    DisturbedError,
    FileContent,
    FileTroubleError,
    Folder,
    NotThereError,
    Swap,
    check_new_name,
    digest_of,
    disk_name,
)
from memory.files.engine.newlines import encode_like
from memory.files.services.directory_changes import changes_record, directory_compare
from memory.files.services.memory_lock import memory_lock, on_disk
from memory.history.selectors.contents import content_of
from memory.history.services.batch_completion import batch_complete
from memory.history.services.batch_recovery import batches_recover
from memory.history.services.blob_storage import blobs_store
from memory.history.services.moves import FileLocation, FileStep, Move
from memory.models import Batch, Cause, Directory, File
from sessions.transcripts.engine.paths import decode_path

NEW_MODE = 0o644


class NotStoredError(FileTroubleError):
    """The current text could not be stored, so nothing was written over it."""


class NothingToChangeError(FileTroubleError):
    """The files already have the requested contents."""


def batch_make(
    *,
    moves: Sequence[Move],
    cause: Cause,
    message: str = "",
    run_id: int | None = None,
    undoes: Batch | None = None,
    make_directory: bool = False,
) -> Batch:
    """Makes all moves, or raises a FileTroubleError and makes none."""
    if cause in (Cause.EDIT, Cause.RUN):
        for move in moves:
            if move.target is not None and (move.source is None or move.source.name != move.target.name):
                check_new_name(move.target.name)
    with memory_lock():
        batches_recover()
        with ExitStack() as stack:
            disk = CurrentFiles(stack, moves, make=make_directory)
            disk.check()
            steps = disk.steps()
            if all(step.before == step.after and not disk.changes_mode(step) for step in steps):
                raise NothingToChangeError("Nothing would change: the files are already like that.")
            try:
                with on_disk():
                    disk.note()
                    blobs_store(contents=disk.contents)
                    batch = Batch.objects.create(
                        cause=cause,
                        state=Batch.State.BEGUN,
                        message=message,
                        run_id=run_id,
                        undoes=undoes,
                        at=now_ms(),
                        plan={"host": this_host(), "steps": [step.to_json() for step in steps], "moves": disk.plan()},
                    )
            except DatabaseError as error:
                raise NotStoredError(f"The earlier text could not be stored ({error}). Nothing was written.") from error
            _swap(disk, batch, steps)
            return batch_complete(batch=batch, folders=disk.folders)


def swap_of(step: FileStep, number: int, batch: Batch, folder: Folder, data: bytes) -> Swap:
    name = disk_name(step.name)
    token = f"{batch.pk}-{number}"
    return Swap(folder, name, step.before, step.after, token, data, step.mode, step.mtime_ns)


def _swap(disk: CurrentFiles, batch: Batch, steps: Sequence[FileStep]) -> None:
    swaps = [
        swap_of(step, number, batch, disk.folders[step.directory], disk.contents.get(step.after or "", b""))
        for number, step in enumerate(steps)
    ]
    try:
        for swap in swaps:
            swap.prepare()
        # Create before deleting: a renamed file exists at any time.
        for swap in sorted(swaps, key=lambda swap: swap.after is None):
            swap.apply()
    except FileTroubleError as error:
        # If one cannot be reverted now, the batch stays begun, and the next writer tries again.
        for swap in reversed(swaps):
            swap.revert()
        for swap in swaps:
            swap.finish()
        batch.state, batch.error, batch.plan = Batch.State.FAILED, str(error), {}
        batch.save(update_fields=["state", "error", "plan"])
        if isinstance(error, DisturbedError | AlreadyThereError):
            disk.read()
            disk.check()
        raise
    for swap in swaps:
        swap.finish()


class CurrentFiles:
    """The current files that a batch is about to change."""

    def __init__(self, stack: ExitStack, moves: Sequence[Move], *, make: bool) -> None:
        self.moves = moves
        for ends in ([move.source for move in moves if move.source], [move.target for move in moves if move.target]):
            if len({location.key for location in ends}) < len(ends):
                raise ValueError("A batch does one thing to a file.")
        self.locations = {location.key: location for move in moves for location in move.locations}
        self.directories: dict[int, Directory] = {
            location.directory.pk: location.directory for location in self.locations.values()
        }
        self.folders = {
            pk: stack.enter_context(Folder(decode_path(directory.path), make=make))
            for pk, directory in self.directories.items()
        }
        self.current: dict[tuple[int, str], FileContent | None] = {}
        self.new_contents: list[bytes | None] = []
        self.contents: dict[str, bytes] = {}
        self.read()

    def read(self) -> None:
        self.current = {key: self.folders[key[0]].read(disk_name(key[1])) for key in self.locations}
        self.new_contents = [self._new_content(move) for move in self.moves]
        self.contents = {digest_of(data): data for data in self.new_contents if data is not None}

    def content_at(self, location: FileLocation | None) -> FileContent | None:
        return self.current[location.key] if location else None

    def check(self) -> None:
        """Raises ChangedMeanwhileError if a file is not as the caller has seen it."""
        leaving = {move.source.key for move in self.moves if move.source}
        clashes: list[Clash] = []
        for move, new_content in zip(self.moves, self.new_contents, strict=True):
            arriving = move.target if move.target and move.target.key not in leaving else None
            if move.source is None:
                if arriving and (occupant := self.content_at(arriving)):
                    if move.file:
                        raise AlreadyThereError(f"{arriving.name} is already there, as another file.")
                    clashes.append(self._clash(move, arriving, new_content, occupant))
                continue
            current = self.content_at(move.source)
            if current is None and move.target is None:
                raise NotThereError(f"{move.source.name} is no longer there.")
            if current is None or current.digest != move.expected:
                clashes.append(self._clash(move, move.source, new_content, current))
            elif arriving and self.content_at(arriving):
                raise AlreadyThereError(f"{arriving.name} is already there.")
        if clashes:
            raise ChangedMeanwhileError(tuple(clashes))

    def steps(self) -> list[FileStep]:
        """What happens to each name on disk."""
        after: dict[tuple[int, str], FileStep] = {}
        for move, data in zip(self.moves, self.new_contents, strict=True):
            if move.target is None or data is None:
                continue
            was = self.content_at(move.source)
            mode = move.mode if move.mode is not None else was.status.mode if was else NEW_MODE
            unchanged_mtime = was.status.mtime_ns if was and was.data == data else None
            mtime = move.mtime_ns if move.mtime_ns is not None else unchanged_mtime
            replaced = self.current[move.target.key]
            before = replaced.digest if replaced else None
            after[move.target.key] = FileStep(*move.target.key, before, digest_of(data), mode, mtime)
        steps = list(after.values())
        for move in self.moves:
            was = self.content_at(move.source)
            if move.source and move.source.key not in after and was:
                steps.append(FileStep(*move.source.key, was.digest, None, was.status.mode, None))
        return steps

    def changes_mode(self, step: FileStep) -> bool:
        content = self.current[step.directory, step.name]
        return content is not None and content.status.mode != step.mode

    def note(self) -> None:
        """Records unseen changes as versions, also of other files, so that the batch stands for a state of the whole
        directory."""
        for pk, directory in self.directories.items():
            contents = {key[1]: content for key, content in self.current.items() if key[0] == pk}
            changes_record(changes=directory_compare(directory, self.folders[pk], contents))
        for move in self.moves:
            if move.file and move.source:
                now = File.objects.filter(pk=move.file.pk, state=File.State.PRESENT).values_list("directory", "name")
                if now.first() != move.source.key:
                    raise DisturbedError(move.source.name)

    def plan(self) -> list[dict[str, object]]:
        return [
            {
                "file": move.file.pk if move.file else None,
                "source": move.source.key if move.source else None,
                "target": move.target.key if move.target else None,
                "digest": digest_of(data) if move.target and data is not None else None,
                "restored": move.restored.pk if move.restored else None,
                "transcript": move.entry.transcript.pk if move.entry else None,
                "position": move.entry.position if move.entry else None,
            }
            for move, data in zip(self.moves, self.new_contents, strict=True)
        ]

    def _new_content(self, move: Move) -> bytes | None:
        if move.target is None:
            return None
        was = self.content_at(move.source)
        if isinstance(move.content, str):
            return encode_like(move.content, was.data if was else b"")
        if move.content is None:
            return was.data if was else b""
        return move.content

    def _clash(
        self, move: Move, location: FileLocation, new_content: bytes | None, current: FileContent | None
    ) -> Clash:
        base = content_of(move.expected) if move.expected else None
        ours = new_content
        if isinstance(move.content, str) and base is not None:
            ours = encode_like(move.content, base)
        theirs = current.data if current else None
        return Clash(location.directory.path, location.name, base, ours, theirs, move.clash_key)
