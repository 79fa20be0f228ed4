"""Recovers batches that a process began and did not finish. If all of their files are in place, they are completed,
otherwise reverted. Texts that other programs wrote meanwhile are kept, including those that we displaced unseen."""

from __future__ import annotations

import logging
import os
from contextlib import ExitStack
from typing import Any

from inspector.locks.hosts import own_hosts
from memory.files.engine.disk import DirectoryGoneError, FileTroubleError, Folder, Swap, digest_of, disk_name
from memory.files.engine.disk.atomic_rename import exchange, move
from memory.files.engine.disk.folder import TEMPORARY, read_at
from memory.files.engine.disk.swap import UNFINISHED
from memory.history.selectors.contents import content_of
from memory.history.services.batch_completion import batch_complete
from memory.models import Batch, Directory
from sessions.archive.engine.durable_files import LEFT_SECONDS
from sessions.transcripts.engine.paths import decode_path

CUT_OFF = "Lucid was ended in the middle of it. Everything was put back."

logger = logging.getLogger(__name__)


def batches_recover() -> None:
    """Needs the memory lock: a process that is alive would hold it. Batches of other hosts are left to them."""
    for batch in Batch.objects.filter(state=Batch.State.BEGUN).order_by("pk"):
        if batch.plan.get("host", "") not in own_hosts():
            continue
        try:
            with ExitStack() as stack:
                _recover(batch, stack)
        except FileTroubleError as error:
            # It stays begun and is tried again later; other directories need not wait for it.
            logger.warning("batch_not_settled", extra={"batch": batch.pk, "error": str(error)})


def temporaries_remove(folder: Folder, now: float) -> None:
    """Removes our temporary files that ended batches have left. Needs the memory lock. Keeps texts that are not in the
    history, and recent files: they may belong to another Lucid with another database."""
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
            folders[pk] = stack.enter_context(Folder(decode_path(directory.path)))
        except DirectoryGoneError:
            _give_up(batch)  # no files are left to revert; their contents are in the history
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
    """The step as its process left it: applied if the file has the new text."""
    name = disk_name(step["name"])
    swap = Swap(folder, name, step["before"], step["after"], f"{batch.pk}-{number}", mode=step["mode"])
    _return_unseen(swap)
    now = folder.read(name)
    swap.is_applied = (now.digest if now else None) == swap.after
    return swap


def _return_unseen(swap: Swap) -> None:
    """Puts back a displaced text that is neither ours nor the expected one: another program wrote it last."""
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
