"""Batches that a process began and did not live to end. If all of their files are in place, they are completed, else
everything is put back. What somebody else wrote in between stays, and so does what we displaced and had not seen."""

from __future__ import annotations

import logging
import os
from contextlib import ExitStack
from typing import Any

from inspector.locks.hosts import own_hosts
from memory.files.engine.disk import (
    DirectoryGoneError,
    FileTroubleError,
    Folder,
    Swap,
    digest_of,
    disk_name,
)
from memory.files.engine.disk.atomic_rename import exchange, move
from memory.files.engine.disk.folder import TEMPORARY, read_at
from memory.files.engine.disk.swap import UNFINISHED
from memory.history.selectors.contents import content_of
from memory.history.services.batch_completion import batch_complete
from memory.models import Batch, Directory
from sessions.archive.engine.durable_files import LEFT_SECONDS
from sessions.transcripts.engine.paths import opened

CUT_OFF = "Lucid was ended in the middle of it. Everything was put back."

logger = logging.getLogger(__name__)


def batches_recover() -> None:
    """Under the lock: who began them is dead, or it would hold it. What lies on another host is settled there."""
    for batch in Batch.objects.filter(state=Batch.State.BEGUN).order_by("pk"):
        if batch.plan.get("host", "") not in own_hosts():
            continue
        try:
            with ExitStack() as stack:
                _recover(batch, stack)
        except FileTroubleError as error:
            # It stays begun, so that nothing of it is forgotten; other directories need not wait for this one.
            logger.warning("batch_not_settled", extra={"batch": batch.pk, "error": str(error)})


def temporaries_remove(folder: Folder, now: float) -> None:
    """Files of ours beside memory that could not be removed when their batch had ended. Under the lock. What is not in
    the history stays, and so does what is young: it may be of another Lucid, at work with another database."""
    for path in folder.temporaries():
        number = path.name.removeprefix(TEMPORARY).partition("-")[0]
        if not number.isdigit() or Batch.objects.filter(pk=int(number), state=Batch.State.BEGUN).exists():
            continue
        try:
            if now - path.stat().st_ctime < LEFT_SECONDS:
                continue
            if path.name.endswith(UNFINISHED) or content_of(digest_of(path.read_bytes())) is not None:
                path.unlink()
        except OSError as error:
            logger.info("temporary_not_removed", extra={"file": path.name, "error": error.strerror})


def _recover(batch: Batch, stack: ExitStack) -> None:
    steps: list[dict[str, Any]] = batch.plan["steps"]
    directories = Directory.every.in_bulk({step["directory"] for step in steps})
    folders: dict[int, Folder] = {}
    for pk, directory in directories.items():
        try:
            folders[pk] = stack.enter_context(Folder(opened(directory.path)))
        except DirectoryGoneError:
            _give_up(batch)  # nothing of it is there to be put back; all of it is in the history
            return
    swaps = [_load_swap(batch, number, step, folders[step["directory"]]) for number, step in enumerate(steps)]
    whole = all(swap.is_applied for swap in swaps)
    for swap in swaps:
        if not whole:
            swap.revert()
        swap.finish()
    if whole:
        batch_complete(batch=batch, folders=folders)
    else:
        _give_up(batch)


def _give_up(batch: Batch) -> None:
    batch.state, batch.error, batch.plan = Batch.State.FAILED, CUT_OFF, {}
    batch.save(update_fields=["state", "error", "plan"])


def _load_swap(batch: Batch, number: int, step: dict[str, Any], folder: Folder) -> Swap:
    """The step as its process left it: `done` if the file is as it was to be."""
    name = disk_name(step["name"])
    swap = Swap(folder, name, step["before"], step["after"], f"{batch.pk}-{number}", mode=step["mode"])
    _return_unseen(swap)
    now = folder.read(name)
    swap.is_applied = (now.digest if now else None) == swap.after
    return swap


def _return_unseen(swap: Swap) -> None:
    """What lies beside the file and is neither of the two texts was written by somebody else at the last moment."""
    try:
        with swap.folder.open_parent(swap.name) as (fd, leaf):
            displaced = read_at(fd, swap.temporary_name, swap.name)
            if displaced is None or displaced.digest in (swap.before, swap.after):
                return
            now = read_at(fd, leaf, swap.name)
            if now is None:
                move(fd, swap.temporary_name, leaf)
            elif now.digest == swap.after:
                exchange(fd, swap.temporary_name, leaf)
            os.fsync(fd)
    except DirectoryGoneError:
        return
