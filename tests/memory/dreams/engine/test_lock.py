"""The lock that is shared with other programs, held by real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memory.dreams.engine.lock import NAME, STALE_NS, DreamLock, LockState, lock_read, lock_take

HOUR = 3_600 * 1_000_000_000
TAKER = """
import sys, time
from pathlib import Path
from memory.dreams.engine.lock import lock_take
while not Path(sys.argv[2]).exists():
    pass
taken = lock_take(Path(sys.argv[1]), now_ns=time.time_ns())
print("taken" if taken else "refused", flush=True)
sys.stdin.read()
"""


INTRUDER = """
import os, sys, time
from pathlib import Path
lock = Path(sys.argv[1])
print("ready", flush=True)
while not lock.exists() or not lock.read_text():
    pass
lock.write_text(str(os.getpid()))
"""


def now() -> int:
    return time.time_ns()


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    path = tmp_path / "memory"
    path.mkdir()
    return path


@contextmanager
def taker(memory: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that takes the lock as soon as `go` is there, says whether it got it, and stays."""
    with subprocess.Popen(
        [sys.executable, "-c", TAKER, str(memory), str(memory.parent / "go")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def go(memory: Path) -> None:
    (memory.parent / "go").touch()


def next_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def left(memory: Path, pid: int | str, age_ns: int) -> int:
    """A lock as another program leaves it; its time."""
    path = memory / NAME
    path.write_text(str(pid))
    when = now() - age_ns
    os.utime(path, ns=(when, when))
    return path.stat().st_mtime_ns


@pytest.fixture
def dead() -> int:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def test_it_holds_the_process_and_success_leaves_the_time(memory: Path) -> None:
    began = now()
    taken = lock_take(memory, now_ns=began)
    assert taken
    assert (memory / NAME).read_text() == str(os.getpid())
    assert lock_read(memory) == DreamLock(os.getpid(), began, is_alive=True)
    taken.complete(began + HOUR)
    assert lock_read(memory) == DreamLock(None, began + HOUR)
    assert lock_take(memory, now_ns=began + HOUR)


def test_of_processes_that_race_one_gets_it(memory: Path) -> None:
    with taker(memory) as item, taker(memory) as two, taker(memory) as three:
        go(memory)
        assert sorted(next_line(process) for process in (item, two, three)) == ["refused", "refused", "taken"]
        assert lock_read(memory).pid in (item.pid, two.pid, three.pid)
        assert lock_take(memory, now_ns=now()) is None


def test_two_threads_of_one_process_do_not_both_get_it(memory: Path) -> None:
    assert lock_take(memory, now_ns=now())
    assert lock_take(memory, now_ns=now()) is None


def test_what_another_program_writes_right_after_us_wins(memory: Path) -> None:
    """It does not know of our own agreement: it saw the lock free, and writes its process when ours stands there."""
    with subprocess.Popen(
        [sys.executable, "-c", INTRUDER, str(memory / NAME)], stdout=subprocess.PIPE, text=True
    ) as intruder:
        assert next_line(intruder) == "ready"
        assert lock_take(memory, now_ns=now()) is None
        assert lock_read(memory).pid == intruder.pid


def test_a_process_that_crashed_is_waited_for_and_then_taken_over(memory: Path) -> None:
    with taker(memory) as process:
        go(memory)
        assert next_line(process) == "taken"
        process.send_signal(signal.SIGKILL)
        process.wait()
    lock = lock_read(memory)
    assert (lock.pid, lock.is_alive) == (process.pid, False)
    assert lock.consolidated_ns is not None
    assert lock_take(memory, now_ns=lock.consolidated_ns + STALE_NS - 1) is None
    assert lock_take(memory, now_ns=lock.consolidated_ns + STALE_NS)


def test_a_living_process_is_never_taken_over(memory: Path) -> None:
    left(memory, os.getppid(), 30 * HOUR)
    assert lock_read(memory).state(now()) is LockState.HELD
    assert lock_take(memory, now_ns=now()) is None


@pytest.mark.parametrize("body", ["", "nobody", "-5", "0", "99999999999999999999", "1 2"])
def test_what_names_no_process_is_free(memory: Path, body: str) -> None:
    when = left(memory, body, HOUR // 2)
    assert lock_read(memory) == DreamLock(None, when)
    assert lock_take(memory, now_ns=now())


def test_a_failure_puts_the_earlier_time_back(memory: Path, dead: int) -> None:
    when = left(memory, dead, 30 * HOUR)
    taken = lock_take(memory, now_ns=now())
    assert taken
    taken.roll_back()
    assert lock_read(memory) == DreamLock(None, when)


def test_a_failure_of_the_first_one_leaves_no_lock(memory: Path) -> None:
    taken = lock_take(memory, now_ns=now())
    assert taken
    taken.roll_back()
    assert not (memory / NAME).exists()


def test_a_lock_that_another_took_over_is_left_alone(memory: Path) -> None:
    taken = lock_take(memory, now_ns=now())
    assert taken
    when = left(memory, 1, 0)
    taken.roll_back()
    taken.complete(now())
    assert (lock_read(memory).pid, lock_read(memory).consolidated_ns) == (1, when)


def test_a_link_is_not_followed(memory: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("mine")
    (memory / NAME).symlink_to(other)
    with pytest.raises(OSError, match="symbolic"):
        lock_take(memory, now_ns=now())
    assert other.read_text() == "mine"
