"""A home of its own for every measured import, and the commands run on it."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.measure import Ran, command_run, tree_bytes

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 30


class SilentServerError(Exception):
    """The server did not answer in time."""


@dataclass(frozen=True, slots=True)
class Home:
    directory: Path

    @property
    def env(self) -> dict[str, str]:
        # As people have it: Python keeps what it has compiled, and no server stands beside us.
        others = ("DATABASE_URL", "REDIS_URL", "PYTHONDONTWRITEBYTECODE")
        kept = {name: value for name, value in os.environ.items() if name not in others}
        return kept | {"LUCID_HOME": str(self.directory), "DJANGO_SETTINGS_MODULE": "inspector.settings"}

    @property
    def stored(self) -> int:
        return tree_bytes(self.directory)

    def run(self, *arguments: str, awaited: bytes = b"") -> Ran:
        return command_run([sys.executable, "-m", "inspector", *arguments], env=self.env, cwd=ROOT, awaited=awaited)

    def inside(self, *arguments: str) -> Any:
        """What `benchmarks.ours.inside` found in a process with our settings."""
        command = [sys.executable, "-m", "benchmarks.ours.inside", *arguments]
        return json.loads(command_run(command, env=self.env, cwd=ROOT).output)

    @contextmanager
    def server(self, **more: str) -> Iterator[int]:
        """A web server without its watcher, on a free port. `more`: of its environment."""
        port = _free_port()
        # Who asks is no part of what a page takes; the check is one HMAC.
        env = self.env | {"LUCID_BIND": f"127.0.0.1:{port}", "LUCID_OWNER_CHECK": "off"} | more
        with (self.directory / "serve.log").open("wb") as log:
            command = [sys.executable, "-m", "inspector", "serve", "--no-watch"]
            process = subprocess.Popen(command, env=env, cwd=ROOT, stdout=log, stderr=log)
            try:
                _wait(port, process)
                yield port
            finally:
                process.send_signal(signal.SIGINT)
                process.wait()


def home_make(directory: Path) -> Home:
    """Empty, with the tables in place: creating them once is no part of an import."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    home = Home(directory)
    home.run("migrate", "--verbosity", "0")
    return home


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
        try:
            connection.request("GET", "/health/")
            if connection.getresponse().status == http.HTTPStatus.OK:
                return
        except OSError:
            time.sleep(0.1)  # not listening yet
        finally:
            connection.close()
    raise SilentServerError("the server did not answer /health/; see serve.log in the home of this benchmark")
