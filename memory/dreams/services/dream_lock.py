"""The lock of a dream and its working folder. The next dream cleans up after one that was interrupted."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from django.conf import settings

from inspector.locks.database_lock import database_lock
from inspector.runs.services.stops import RunError
from inspector.web.clock import now_ms
from memory.dreams.engine.gates import lock_gate
from memory.dreams.engine.lock import HeldLock, is_alive, lock_read, lock_take
from memory.dreams.selectors.gates import LockUnreadableError, directory_path, read_lock
from memory.models import Directory
from sessions.archive.engine.durable_files import create_durably
from sessions.transcripts.engine.paths import decode_path, encode_path

NOTE = "lock.json"
COPY = "memory"


@contextmanager
def hold_dream_lock(directory: Directory, run_id: int) -> Iterator[Path]:
    """Holds the lock, and yields an empty folder to work in. If the work fails or is stopped, the lock becomes what it
    was before."""
    dreams_clean_up()
    path = directory_path(directory)
    if path.is_relative_to(Path(settings.DEMO_DIR).resolve()):
        raise RunError("The built-in memory is part of the program and is not changed.")
    if not path.is_dir():
        raise RunError(f"{directory.path} is not there.")
    with (
        database_lock(f"dream-{directory.pk}", on_wait=_refuse_other_host),
        _hold_lock_file(directory, path, run_id) as workspace,
    ):
        yield workspace


def _refuse_other_host() -> None:
    """The lock names a process by its number, which means another process on another host."""
    raise RunError("Another Lucid on the same database dreams over it. Nothing was done.")


@contextmanager
def _hold_lock_file(directory: Directory, path: Path, run_id: int) -> Iterator[Path]:
    workspace = workspaces_folder() / f"run-{run_id}"
    shutil.rmtree(workspace, ignore_errors=True)
    held: HeldLock | None = None
    try:
        # Written before the lock is taken: without a note, the lock would stay held for an hour after a crash.
        _write_note(workspace, path)
        held = _take_lock(directory, path)
        try:
            yield workspace
            held.complete(now_ms() * 1_000_000)
        except BaseException:
            held.roll_back()
            raise
    finally:
        if held is not None and held.is_held():
            _clear(workspace)  # the disk failed while the lock was released, so the note stays for the next start
        else:
            shutil.rmtree(workspace, ignore_errors=True)


def _clear(workspace: Path) -> None:
    for path in workspace.iterdir():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)


def _write_note(workspace: Path, path: Path) -> None:
    try:
        before_ns = lock_read(path).consolidated_ns
    except OSError:
        before_ns = None  # it cannot be taken either, and taking it tells why
    workspace.mkdir(parents=True)
    note = {"directory": encode_path(path), "pid": os.getpid(), "before_ns": before_ns}
    create_durably(workspace / NOTE, json.dumps(note).encode())


def dreams_clean_up() -> None:
    """Cleans up after dreams whose process died: rolls back their locks, and deletes their copies."""
    for workspace in workspaces_folder().glob("run-*"):
        note = _read_note(workspace)
        if note is not None:
            if is_alive(note.pid):
                continue
            if note.directory.is_dir():
                note.roll_back()
        shutil.rmtree(workspace, ignore_errors=True)


def workspaces_folder() -> Path:
    return Path(settings.LUCID_HOME) / "dreams"


def _take_lock(directory: Directory, path: Path) -> HeldLock:
    try:
        held = lock_take(path, now_ns=now_ms() * 1_000_000)
        if held is None:
            raise RunError(f"{lock_gate(lock=read_lock(directory), now_ms=now_ms()).why} Nothing was done.")
    except LockUnreadableError as error:
        raise RunError(str(error)) from error
    except OSError as error:
        raise RunError(f"The lock in {directory.path} cannot be taken.", error.strerror or str(error)) from error
    return held


class _Note(msgspec.Struct):
    directory: str
    pid: int
    before_ns: int | None


def _read_note(workspace: Path) -> HeldLock | None:
    try:
        note = msgspec.json.decode((workspace / NOTE).read_bytes(), type=_Note)
    except (OSError, msgspec.MsgspecError, RecursionError):
        return None  # it was interrupted before it had taken the lock, or while it cleaned up
    return HeldLock(decode_path(note.directory), note.pid, note.before_ns)
