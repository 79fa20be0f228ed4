"""Times and memory: of a command with all its children, and of a function repeated."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")
SAMPLE_SECONDS = 0.1
"""More often, and the looking takes a tenth of what is looked at: there are two cores."""


class CommandError(Exception):
    """A measured command ended with an error; the message holds its last words."""


@dataclass(frozen=True, slots=True)
class Ran:
    seconds: float
    cpu_seconds: float
    """Of the command and all its children: what is left of the truth on a machine that others use too."""
    peak_mb: float
    """The largest sum of resident memory over the command and its children; shared pages count in each."""
    output: bytes
    first_seconds: float | None
    """Until the awaited byte came out."""


def command_run(
    command: Sequence[str], *, env: Mapping[str, str] | None = None, cwd: Path | None = None, awaited: bytes = b""
) -> Ran:
    with tempfile.TemporaryFile() as errors:
        started, busy = time.perf_counter(), _children_cpu()
        process = subprocess.Popen(command, env=env, cwd=cwd, stdout=subprocess.PIPE, stderr=errors)
        memory = _Memory(process.pid)
        memory.start()
        assert process.stdout is not None
        pieces, first = [], None
        while piece := os.read(process.stdout.fileno(), 1 << 16):
            pieces.append(piece)
            if first is None and awaited and awaited in piece:
                first = time.perf_counter() - started
        process.stdout.close()
        status = process.wait()
        seconds = time.perf_counter() - started
        memory.stop()
        if status:
            errors.seek(0)
            words = errors.read().decode(errors="replace").strip().splitlines()
            raise CommandError(f"{Path(command[0]).name}: exit {status}: {words[-1] if words else 'no reason given'}")
        return Ran(seconds, _children_cpu() - busy, memory.peak / 1e6, b"".join(pieces), first)


def median_seconds(action: Callable[[], object], repetitions: int) -> float:
    times = []
    for _ in range(repetitions):
        started = time.perf_counter()
        action()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def tree_bytes(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


def cache_warm(paths: Sequence[Path]) -> None:
    """Reads every file once, so that nobody is charged for the disk."""
    buffer = bytearray(1 << 22)
    for path in paths:
        with path.open("rb", buffering=0) as file:
            while file.readinto(buffer):
                pass


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class _Memory(threading.Thread):
    """Looks at the resident memory of a process and its descendants, again and again."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.pid = pid
        self.peak = 0
        self.ended = threading.Event()

    def run(self) -> None:
        while not self.ended.wait(SAMPLE_SECONDS):
            self.peak = max(self.peak, sum(map(_resident, _descendants(self.pid))))

    def stop(self) -> None:
        self.ended.set()
        self.join()


def _descendants(pid: int) -> list[int]:
    result = [pid]
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            children = Path(f"/proc/{pid}/task/{task}/children").read_text().split()
            result += [descendant for child in children for descendant in _descendants(int(child))]
    except (FileNotFoundError, ProcessLookupError):
        return result  # it ended while we looked
    return result


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    except (FileNotFoundError, ProcessLookupError):
        return 0  # it ended while we looked
