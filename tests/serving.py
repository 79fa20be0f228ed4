"""A real `lucid serve` for a test: its own process, home, port and end."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 300.0
"""Seconds, for a machine that has other things to do. Whoever waits for what will come waits no longer than needed."""


@dataclass
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes


@dataclass
class Server:
    process: subprocess.Popen[str]
    home: Path
    lines: list[str] = field(default_factory=list)
    """What it printed so far, on both streams."""
    port: int = 0
    entry: str = ""
    """The address that it printed, which lets one browser in."""
    cookie: str = ""
    """Of a browser that was let in."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str, method: str = "GET", **headers: str) -> Answer:
        """As a browser that was let in asks."""
        return self.ask(path, method, **{"Cookie": self.cookie, **headers})

    def ask(self, path: str, method: str = "GET", body: str = "", **headers: str) -> Answer:
        """As anybody asks."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, body=body or None, headers=named)
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            connection.close()

    def says(self, words: str) -> bool:
        return any(words in line for line in self.lines)

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(PATIENCE)

    def helpers(self) -> list[int]:
        """The processes that it started and that still run, by what they inherited from it."""
        return [pid for pid in _processes_of(self.home) if pid != self.process.pid]


def environment(home: Path, **extra: str) -> dict[str, str]:
    # The settings of the tests would give each process a home of its own.
    # No test asks a real model by accident.
    dropped = ("LUCID_", "DATABASE_", "REDIS_", "DJANGO_", "ANTHROPIC_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    ours = {"LUCID_HOME": str(home), "CLAUDE_CONFIG_DIR": str(home.parent / "no-sessions"), "LUCID_CLAUDE": "off"}
    return {**kept, **ours, **extra}


@dataclass(frozen=True)
class Program:
    """What is started as `lucid`, and where."""

    command: tuple[str, ...]
    cwd: Path

    def run(self, home: Path, *arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
        """One command, to its end."""
        return subprocess.run(
            [*self.command, *arguments],
            cwd=self.cwd,
            env=environment(home, **extra),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=2 * PATIENCE,
            check=False,
        )

    @contextmanager
    def serving(self, home: Path, *arguments: str, **extra: str) -> Iterator[Server]:
        """A server that answers, on a free port. It is stopped at the end, if the test has not done so."""
        with self.bound_to("127.0.0.1:0", home, *arguments, **extra) as server:
            server.cookie = _enter(server)
            yield server

    @contextmanager
    def bound_to(self, bind: str, home: Path, *arguments: str, **extra: str) -> Iterator[Server]:
        """The same where it is told to listen, as nobody who was let in."""
        process = subprocess.Popen(
            [*self.command, "serve", "--bind", bind, *arguments],
            cwd=self.cwd,
            env=environment(home, **extra),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        server = Server(process, home)
        reader = threading.Thread(target=_collect, args=(server,), daemon=True)
        reader.start()
        try:
            wait_until(lambda: server.says("Lucid is on ") or process.poll() is not None)
            assert process.poll() is None, "".join(server.lines)
            yield server
        finally:
            server.stop()
            reader.join(PATIENCE)
            for pid in server.helpers():
                os.kill(pid, signal.SIGKILL)


TREE = Program((sys.executable, "-m", "inspector"), ROOT)
lucid, serving, bound_to = TREE.run, TREE.serving, TREE.bound_to


@contextmanager
def worker(home: Path, redis_url: str, **extra: str) -> Iterator[subprocess.Popen[bytes]]:
    """One more worker, in a process of its own."""
    env = environment(home, REDIS_URL=redis_url, **extra)
    command = [sys.executable, "-m", "inspector", "worker", "--concurrency", "1"]
    process = subprocess.Popen(command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait(30)


def wait_until(condition: Callable[[], object], seconds: float = PATIENCE, longest_pause: float = 0.2) -> None:
    """Asks less and less often: what is waited for needs the processor too. `longest_pause`: short for what passes."""
    end = time.monotonic() + seconds
    pause = 0.01
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(pause)
        pause = min(1.3 * pause, longest_pause)


def fair(seconds: float) -> float:
    """What may be promised for an idle machine, as long as it takes on this one: others wait for its processors too."""
    waiting = 2 * os.getloadavg()[0] / (os.cpu_count() or 1)
    return seconds * max(1.0, waiting)


def _enter(server: Server) -> str:
    """Follows the printed address; the cookie that came of it, or none where the server checks nobody."""
    return str(server.ask(server.entry).headers["Set-Cookie"] or "").partition(";")[0]


def _collect(server: Server) -> None:
    assert server.process.stdout is not None
    for line in server.process.stdout:
        match = re.search(r"http://127\.0\.0\.1:(\d+)(/\S*)", line)
        if match and not server.port:
            server.entry, server.port = match[2], int(match[1])
        server.lines.append(line)


def _processes_of(home: Path) -> list[int]:
    mark = f"LUCID_HOME={home}".encode()
    results = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if mark in (entry / "environ").read_bytes().split(b"\0") and (entry / "cmdline").read_bytes():
                results.append(int(entry.name))
        except OSError:
            continue
    return results
