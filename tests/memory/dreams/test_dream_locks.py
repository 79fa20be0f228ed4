"""The lock of a dream: let go, put back, and freed, whatever becomes of its process and its disk."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from inspector.runs.models import Run
from inspector.runs.services import run_execute, run_kill
from memory.dreams.engine.lock import NAME, lock_read, lock_take
from memory.dreams.services.dream_lock import dreams_clean_up, workspaces_folder
from memory.models import Proposal
from tests.inspector.agents.server import Call, Fail, MessagesServer, Say
from tests.memory.dreams.dream_runs import DAY_NS, consolidated, executed, files, queued
from tests.memory.remembering import Shelf
from tests.serving import wait_until

# The pulse of a run has a connection of its own, which has to see it.
pytestmark = pytest.mark.django_db(transaction=True)


def test_a_failure_rolls_the_lock_back(server: MessagesServer, shelf: Shelf) -> None:
    when = consolidated(shelf, DAY_NS)
    server.answer(Say(calls=[Call("Write", {"file_path": "wind.md", "content": "West.\n"})]), Fail(401))
    run = executed(shelf)
    assert run.status == "failed"
    assert "Memory is as it was." in run.error
    assert (lock_read(shelf.path).consolidated_ns, lock_read(shelf.path).pid) == (when, None)
    assert "wind.md" not in files(shelf)
    assert not Proposal.objects.exists()


def test_killing_it_rolls_the_lock_back(server: MessagesServer, shelf: Shelf) -> None:
    when = consolidated(shelf, DAY_NS)
    write = Say("Writing.", calls=[Call("Write", {"file_path": "wind.md", "content": "West.\n"})])
    server.answer(write, Say("Never heard.", wait=30))
    run = queued(shelf)

    def work() -> None:
        run_execute(run_id=run.pk)
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    wait_until(lambda: Run.objects.get(pk=run.pk).phase == "updating")
    wait_until(lambda: len(server.requests) == 2)
    assert lock_read(shelf.path).pid == os.getpid()
    run_kill(run_id=run.pk)
    thread.join(20)
    run.refresh_from_db()
    assert run.status == "killed"
    assert (lock_read(shelf.path).consolidated_ns, lock_read(shelf.path).pid) == (when, None)
    assert not list(workspaces_folder().iterdir())
    assert not Proposal.objects.exists()


def test_the_lock_of_a_dream_whose_process_died_is_put_back_by_the_next(shelf: Shelf) -> None:
    when = consolidated(shelf, DAY_NS)
    taken = lock_take(shelf.path, now_ns=time.time_ns(), pid=dead())
    assert taken
    place = workspaces_folder() / "run-99"
    place.mkdir(parents=True)
    note = {"directory": str(shelf.path), "pid": taken.pid, "before_ns": taken.before_ns}
    (place / "lock.json").write_text(json.dumps(note))
    dreams_clean_up()
    assert (lock_read(shelf.path).consolidated_ns, lock_read(shelf.path).pid) == (when, None)
    assert not place.exists()


def test_a_kill_right_after_the_lock_was_taken_leaves_it_free(shelf: Shelf) -> None:
    when = consolidated(shelf, DAY_NS)
    run = queued(shelf, model="")
    connection.close()
    pid = os.fork()
    if pid == 0:
        _kill_after_rename_to(NAME)
        run_execute(run_id=run.pk)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
    assert lock_read(shelf.path).pid == pid
    dreams_clean_up()
    assert (lock_read(shelf.path).consolidated_ns, lock_read(shelf.path).pid) == (when, None)
    assert not list(workspaces_folder().iterdir())


def test_a_disk_that_fails_when_the_lock_is_let_go_leaves_it_free(
    server: MessagesServer, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    when = consolidated(shelf, DAY_NS)
    server.answer(Say("All is well."))
    _fail_rename_to(NAME, monkeypatch, after=1)
    assert executed(shelf).status == "failed"
    assert (lock_read(shelf.path).consolidated_ns, lock_read(shelf.path).pid) == (when, None)
    assert not list(workspaces_folder().iterdir())


def test_a_lock_that_a_broken_disk_does_not_let_go_is_freed_by_the_next_start(
    server: MessagesServer, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    when = consolidated(shelf, DAY_NS)
    server.answer(Say("All is well."))
    _fail_rename_to(NAME, monkeypatch, after=1, times=2)
    assert executed(shelf).status == "failed"
    assert lock_read(shelf.path).pid == os.getpid()
    (place,) = workspaces_folder().iterdir()
    note = json.loads((place / "lock.json").read_text())
    (place / "lock.json").write_text(json.dumps({**note, "pid": (gone := dead())}))
    (shelf.path / NAME).write_text(str(gone))
    dreams_clean_up()
    assert (lock_read(shelf.path).consolidated_ns, lock_read(shelf.path).pid) == (when, None)


def _fail_rename_to(name: str, monkeypatch: pytest.MonkeyPatch, *, after: int, times: int = 1) -> None:
    """The disk takes `after` of them, and then not these."""
    replace, seen = os.replace, 0

    def failing(source: Any, target: Any) -> None:
        nonlocal seen
        if Path(target).name == name:
            seen += 1
            if after < seen <= after + times:
                raise OSError(errno.EIO, "Input/output error", str(target))
        replace(source, target)

    monkeypatch.setattr(os, "replace", failing)


def _kill_after_rename_to(name: str) -> None:
    """This process, when it opens the file that it has just given this name."""
    renamed = False

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal renamed
        if event == "os.rename" and str(arguments[1]).endswith(name):
            renamed = True
        elif event == "open" and renamed and str(arguments[0]).endswith(name):
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


def dead() -> int:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid
