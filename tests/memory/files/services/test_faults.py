"""Real faults, from the system itself: a full disk, a directory that may not be written or is gone, two writers, links
swapped in, and a kill in the middle. Each is one sentence, and nothing is lost."""

from __future__ import annotations

import ctypes
import os
import resource
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

from memory.files.engine.clash import ChangedMeanwhileError
from memory.files.engine.disk import DirectoryGoneError, Folder, NoRoomError, OutsideError, ReadOnlyError, digest_of
from memory.files.services.writing import delete, memory_change, memory_write, rename, write
from memory.history.selectors.contents import content_of
from memory.history.selectors.history import versions_at
from memory.history.services.restoration import batch_undo
from memory.models import Batch, Version
from tests.memory.remembering import Shelf

pytestmark = pytest.mark.django_db(transaction=True)

KILLED = -signal.SIGKILL


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "memory")


def in_a_process(work: Callable[[], object]) -> Callable[[], int]:
    """Starts it; what comes back waits for its end and returns how it ended: 0 if nothing was raised."""
    connections.close_all()
    pid = os.fork()
    if pid == 0:
        try:
            work()
            os._exit(0)
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
            os._exit(CODES.get(type(error), 99))
    return lambda: os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


CODES: dict[type[BaseException], int] = {NoRoomError: 11, ReadOnlyError: 12, ChangedMeanwhileError: 13}


def whole(shelf: Shelf, names: list[str]) -> list[Any]:
    directory, digest = shelf.directory, shelf.digest
    return [write(directory, name, f"new {name}\n" * 10, digest(name)) for name in names]


def test_a_full_disk_leaves_every_file_as_it_was(shelf: Shelf) -> None:
    for name in ("a.md", "b.md"):
        shelf.write(name, f"{name}\n")
    before = shelf.all()
    large = b"x" * 60_000_000  # compresses well: it is the file that does not fit, not the store

    def work() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000_000, 50_000_000))
        moves = [*whole(shelf, ["a.md"]), write(shelf.directory, "b.md", large, shelf.digest("b.md"))]
        memory_change(moves=moves)

    assert in_a_process(work)() == CODES[NoRoomError]
    assert shelf.all() == before
    failed = Batch.objects.get(state=Batch.State.FAILED)
    assert failed.error == "There is no room to write b.md: the disk is full. The file is as it was."
    assert content_of(digest_of(large)) == large
    assert shelf.scan().versions == []


def test_a_directory_that_may_not_be_written_says_so(shelf: Shelf) -> None:
    shelf.write("a.md", "a\n")
    os.chmod(shelf.path, 0o555)

    def work() -> None:
        without_the_powers_of_root()
        shelf.write("a.md", "b\n")

    try:
        assert in_a_process(work)() == CODES[ReadOnlyError]
    finally:
        os.chmod(shelf.path, 0o755)
    assert shelf.all() == {"a.md": b"a\n"}
    assert "may not be written" in Batch.objects.get(state=Batch.State.FAILED).error


def test_a_file_that_may_not_be_read_is_named_and_not_taken_for_deleted(shelf: Shelf) -> None:
    shelf.write("a.md", "a\n")
    shelf.write("logs/b.md", "b\n")
    os.chmod(shelf.path / "a.md", 0)
    os.chmod(shelf.path / "logs", 0)

    def work() -> None:
        without_the_powers_of_root()
        scan = shelf.scan()
        assert len(scan.skipped) == 2
        assert scan.versions == []

    try:
        assert in_a_process(work)() == 0
    finally:
        os.chmod(shelf.path / "logs", 0o755)


def test_a_directory_deleted_while_it_is_open_is_said_to_be_gone(shelf: Shelf) -> None:
    shelf.write("a.md", "a\n")
    with Folder(shelf.path) as folder:
        shutil.rmtree(shelf.path)
        with pytest.raises(DirectoryGoneError):
            folder.read("a.md")
    with pytest.raises(DirectoryGoneError, match="is gone"):
        memory_write(directory=shelf.directory, name="a.md", content="b\n", expected=digest_of(b"a\n"))
    scan = shelf.scan()
    assert scan.batch
    batch_undo(batch=scan.batch)
    assert shelf.all() == {"a.md": b"a\n"}


def test_of_two_writers_at_once_one_is_told(shelf: Shelf) -> None:
    shelf.write("a.md", "a\n")
    seen = shelf.digest("a.md")

    def writer(text: str) -> Callable[[], int]:
        return in_a_process(lambda: memory_write(directory=shelf.directory, name="a.md", content=text, expected=seen))

    ends = [writer(f"{number}\n") for number in range(4)]
    assert sorted(end() for end in ends) == [0, *[CODES[ChangedMeanwhileError]] * 3]
    assert shelf.read("a.md") in [f"{number}\n".encode() for number in range(4)]
    assert Version.objects.count() == 2


def test_nothing_that_an_agent_writes_meanwhile_is_lost(shelf: Shelf) -> None:
    """It replaces the file again and again; whatever it wrote is in the file or in the history."""
    shelf.write("a.md", "a\n")
    stop = threading.Event()
    written: list[bytes] = []

    def agent() -> None:
        while not stop.is_set():
            text = f"agent {len(written)}\n".encode()
            draft = shelf.path / ".draft"
            draft.write_bytes(text)
            # It writes over what it has read, as an editing tool does: ours, or its own.
            os.replace(draft, shelf.path / "a.md")
            written.append(text)
            time.sleep(0.002)

    thread = threading.Thread(target=agent)
    thread.start()
    ours = refused = 0
    try:
        for number in range(60):
            before = shelf.digest("a.md")
            try:
                memory_write(directory=shelf.directory, name="a.md", content=f"ours {number}\n", expected=before)
                ours += 1
            except ChangedMeanwhileError:
                refused += 1
    finally:
        stop.set()
        thread.join()
    (shelf.path / ".draft").unlink(missing_ok=True)
    assert ours + refused == 60
    assert not [name for name in shelf.all() if name != "a.md"]
    # Of every write of ours, what it displaced is a version.
    for version in Version.objects.filter(cause="edit", number__gt=1).select_related("parent"):
        assert version.parent
        assert version.parent.blob_id


def test_a_link_swapped_in_is_not_followed(shelf: Shelf, tmp_path: Path) -> None:
    victim = tmp_path / "victim.md"
    victim.write_text("precious\n")
    shelf.write("a.md", "a\n")
    shelf.write("logs/b.md", "b\n")
    digest = shelf.digest("a.md")
    (shelf.path / "a.md").unlink()
    (shelf.path / "a.md").symlink_to(victim)
    shutil.rmtree(shelf.path / "logs")
    (shelf.path / "logs").symlink_to(tmp_path)
    with pytest.raises(OutsideError, match=r"a\.md is a link"):
        memory_write(directory=shelf.directory, name="a.md", content="mine\n", expected=digest)
    with pytest.raises(OutsideError, match="link"):
        memory_write(directory=shelf.directory, name="logs/victim.md", content="mine\n", expected=None)
    moved = shelf.path.rename(tmp_path / "moved")
    shelf.path.symlink_to(moved)
    with pytest.raises(OutsideError):
        memory_write(directory=shelf.directory, name="new.md", content="mine\n", expected=None)
    assert victim.read_text() == "precious\n"


@pytest.mark.parametrize("event", ["open", "os.rename", "os.remove"])
def test_a_kill_in_the_middle_of_a_batch_leaves_all_or_nothing(shelf: Shelf, event: str) -> None:
    for name in ("a.md", "b.md", "c.md", "d.md"):
        shelf.write(name, f"{name}\n")
    before = shelf.all()

    def change() -> None:
        directory, digest = shelf.directory, shelf.digest
        memory_change(
            moves=[
                *whole(shelf, ["a.md", "b.md"]),
                delete(directory, "c.md", digest("c.md") or ""),
                rename(directory, "d.md", "e.md", digest("d.md") or ""),
            ]
        )

    ends, killed = set(), 0
    for count in range(1, 100, 2):
        last = Batch.objects.order_by("pk").last()
        ended = in_a_process(lambda count=count: killing(event, count, change))()  # type: ignore[misc]
        if ended == 0:
            break
        assert ended == KILLED
        killed += 1
        shelf.scan()
        assert not Batch.objects.filter(state=Batch.State.BEGUN).exists()
        now = shelf.all()
        ends.add(now == before)
        assert now == before or set(now) == {"a.md", "b.md", "e.md"}
        result = Batch.objects.filter(pk__gt=last.pk if last else 0, state=Batch.State.DONE, cause="edit").first()
        assert (now != before) == (result is not None)
        if result:
            assert {
                item.name: content_of(item.blob.digest) for item in versions_at(shelf.directory, result) if item.blob
            } == now
            batch_undo(batch=result)
        assert shelf.all() == before
    assert killed >= 2
    assert True in ends or event == "os.remove"


def killing(event: str, count: int, work: Callable[[], None]) -> None:
    """Kills this process at the so-manieth such event in one of our own files."""
    seen = 0

    def hook(name: str, arguments: tuple[Any, ...]) -> None:
        nonlocal seen
        if name == event and any(str(argument).startswith(".lucid-") for argument in arguments):
            seen += 1
            if seen == count:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    work()


def without_the_powers_of_root() -> None:
    """Takes the right to ignore permissions from this process. Others than root do not have it."""
    if os.geteuid() != 0:
        return
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    none = (ctypes.c_uint32 * 6)()
    assert ctypes.CDLL(None).capset(header, none) == 0
