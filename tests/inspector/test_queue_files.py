"""The queue of files keeps a message until it is acknowledged, whatever becomes of the process that took it."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kombu import Connection
from kombu.exceptions import ChannelError
from kombu.simple import SimpleQueue

from inspector.queue import SCHEME
from tests.serving import PATIENCE, ROOT

TAKE = """
import sys, time
from pathlib import Path
from tests.inspector.test_queue_files import opened
with opened(Path(sys.argv[1])) as queue:
    print(queue.get(timeout=60).payload, flush=True)
    time.sleep(60)
"""


@contextmanager
def opened(folder: Path) -> Iterator[SimpleQueue]:
    (folder / "messages").mkdir(parents=True, exist_ok=True)
    options = {"data_folder_in": str(folder / "messages"), "data_folder_out": str(folder / "messages")}
    with Connection(f"{SCHEME}://localhost", transport_options=options) as connection:
        # The transport remembers in which process a queue was bound, but not in which folder.
        queue = connection.SimpleQueue(folder.name)
        try:
            yield queue
        finally:
            queue.close()


def files(folder: Path) -> int:
    return sum(1 for path in folder.rglob("*.msg"))


def test_a_message_is_gone_when_its_task_is_done(tmp_path: Path) -> None:
    with opened(tmp_path) as queue:
        queue.put("survey")
        message = queue.get(timeout=PATIENCE)
        assert (message.payload, files(tmp_path)) == ("survey", 1)
        message.ack()
        assert files(tmp_path) == 0


def test_each_message_comes_once(tmp_path: Path) -> None:
    with opened(tmp_path) as queue, opened(tmp_path) as other:
        for number in range(10):
            queue.put(number)
        taken = [item.get(timeout=PATIENCE) for item in (queue, other) * 5]
        assert sorted(message.payload for message in taken) == list(range(10))
        with pytest.raises(queue.Empty):
            other.get(timeout=0.3)
        for message in taken:
            message.ack()
    assert files(tmp_path) == 0


def test_a_message_that_is_given_back_comes_again(tmp_path: Path) -> None:
    with opened(tmp_path) as queue:
        queue.put("survey")
        queue.get(timeout=PATIENCE).requeue()
        second = queue.get(timeout=PATIENCE)
        assert (second.payload, files(tmp_path)) == ("survey", 1)
        second.reject()
        assert files(tmp_path) == 0


def test_what_was_taken_and_not_done_is_left_to_the_next(tmp_path: Path) -> None:
    with opened(tmp_path) as queue:
        queue.put("survey")
        queue.get(timeout=PATIENCE)
    with opened(tmp_path) as queue:
        assert queue.get(timeout=PATIENCE).payload == "survey"


def test_a_message_whose_worker_was_killed_comes_again(tmp_path: Path) -> None:
    with opened(tmp_path) as queue:
        queue.put("survey")
        with subprocess.Popen(
            [sys.executable, "-c", TAKE, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        ) as worker:
            assert worker.stdout is not None
            assert worker.stdout.readline() == "survey\n"
            with pytest.raises(queue.Empty):
                queue.get(timeout=0.3)
            os.kill(worker.pid, signal.SIGKILL)
            worker.wait(10)
        assert queue.get(timeout=PATIENCE).payload == "survey"


def test_a_message_that_is_still_being_written_is_not_taken(tmp_path: Path) -> None:
    with opened(tmp_path) as queue:
        unfinished = tmp_path / "messages" / f"1_x.{tmp_path.name}.msg.unfinished"
        unfinished.write_bytes(b'{"body": "')
        queue.put("survey")
        assert queue.get(timeout=PATIENCE).payload == "survey"
    assert unfinished.exists()


@pytest.mark.parametrize("rest", [b"", b'{"body": "', b"\xff\xfe", b"[]", b"{}"])
def test_what_a_full_disk_left_of_a_message_holds_nobody_up(tmp_path: Path, rest: bytes) -> None:
    with opened(tmp_path) as queue:
        broken = tmp_path / "messages" / f"0_x.{tmp_path.name}.msg"
        broken.write_bytes(rest)
        queue.put("survey")
        assert queue.get(timeout=PATIENCE).payload == "survey"
        assert not broken.exists()


def test_what_a_full_disk_left_of_a_control_file_is_not_even_read(tmp_path: Path) -> None:
    (tmp_path / "control").mkdir()
    (tmp_path / "control" / f"{tmp_path.name}.exchange").touch()
    with opened(tmp_path) as queue:
        queue.put("survey")
        assert queue.get(timeout=PATIENCE).payload == "survey"


def test_a_message_for_which_there_is_no_room_leaves_nothing_behind(tmp_path: Path) -> None:
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    with opened(tmp_path) as queue:
        queue.put("before")
        queue.get(timeout=PATIENCE).ack()
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, usual[1]))
        try:
            with pytest.raises(ChannelError, match="File too large"):
                queue.put("survey" * 100)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, usual)
        assert list((tmp_path / "messages").iterdir()) == []
        queue.put("after")
        assert queue.get(timeout=PATIENCE).payload == "after"
