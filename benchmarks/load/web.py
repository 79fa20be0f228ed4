"""The server under load: started as a person starts it, and what its web processes hold."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.measure import PAGE
from benchmarks.ours.home import ROOT, Home, SilentServerError

START_SECONDS = 60.0
STOP_SECONDS = 30.0
PAGES = b"inspector.pages"
"""In the command line of a process that makes pages beside the server."""


@dataclass(frozen=True, slots=True)
class Held:
    megabytes: float
    """Resident memory of all web processes; pages that several share count in each."""
    descriptors: int
    processes: int


@dataclass(slots=True)
class Web:
    process: subprocess.Popen[str]
    port: int = 0
    cookie: str = ""
    lines: list[str] = field(default_factory=list)

    def pids(self) -> list[int]:
        """The server itself, and those of its children that make pages."""
        return [self.process.pid, *(pid for pid in _children(self.process.pid) if PAGES in _command(pid))]

    def held(self) -> Held:
        pids = self.pids()
        return Held(sum(map(_resident, pids)) / 1e6, sum(map(_descriptors, pids)), len(pids))

    def cpu_seconds(self) -> float:
        return sum(map(_cpu, self.pids()))


class Watch(threading.Thread):
    """Looks at what the web processes hold, again and again, and keeps the most of each."""

    def __init__(self, web: Web, every: float = 0.25) -> None:
        super().__init__(daemon=True)
        self._web = web
        self._every = every
        self._ended = threading.Event()
        self.most = web.held()

    def run(self) -> None:
        while not self._ended.wait(self._every):
            now = self._web.held()
            self.most = Held(*(max(pair) for pair in zip(_row(now), _row(self.most), strict=True)))  # type: ignore[arg-type]

    def stop(self) -> Held:
        self._ended.set()
        self.join()
        return self.most


@contextmanager
def web(home: Home, **more: str) -> Iterator[Web]:
    """A `lucid serve` with its worker and without its watcher, and a browser that it let in."""
    env = home.env | {"LUCID_CLAUDE": "off"} | more
    command = [sys.executable, "-m", "inspector", "serve", "--no-watch", "--no-browser", "--bind", "127.0.0.1:0"]
    process = subprocess.Popen(
        command,
        env=env,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    server = Web(process)
    reader = threading.Thread(target=_read, args=(server,), daemon=True)
    reader.start()
    try:
        _enter(server)
        yield server
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _read(server: Web) -> None:
    assert server.process.stdout is not None
    for line in server.process.stdout:
        server.lines.append(line)
        del server.lines[:-50]


def _enter(server: Web) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and server.process.poll() is None:
        match = re.search(r"http://127\.0\.0\.1:(\d+)(/\S*)", "".join(server.lines))
        if match:
            server.port = int(match[1])
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=START_SECONDS)
            connection.request("GET", match[2])
            server.cookie = str(connection.getresponse().headers["Set-Cookie"] or "").partition(";")[0]
            connection.close()
            return
        time.sleep(0.05)
    raise SilentServerError(f"the server did not start: {''.join(server.lines[-3:]).strip()}")


def _row(held: Held) -> tuple[float, int, int]:
    return held.megabytes, held.descriptors, held.processes


def _children(pid: int) -> list[int]:
    results: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            results += map(int, Path(f"/proc/{pid}/task/{task}/children").read_text().split())
    except (FileNotFoundError, ProcessLookupError):
        return results  # it ended while we looked
    return results


def _command(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except (FileNotFoundError, ProcessLookupError):
        return []


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    except (FileNotFoundError, ProcessLookupError):
        return 0


def _descriptors(pid: int) -> int:
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except (FileNotFoundError, ProcessLookupError):
        return 0


def _cpu(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
