"""A home with a warm process beside it, in which commands of Lucid are tried under faults."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.faults.shim import NO_FAULT, Fault, Seen, Shim
from tests.serving import ROOT, environment

SECONDS = 120.0
"""For one attempt. Nothing here takes more than a few; what waits for ever is a finding."""


@dataclass(frozen=True, slots=True)
class Ended:
    status: int | None
    """None: it did not end."""
    output: str
    seen: Seen
    stayed: bool = False
    """Somebody whom it had started did not end with it."""

    @property
    def document(self) -> Any:
        """The last line that it printed."""
        lines = self.output.strip().splitlines()
        return json.loads(lines[-1])


@dataclass(frozen=True, slots=True)
class Place:
    """Where an attempt takes place: the home, and what the person has."""

    folder: Path

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def config(self) -> Path:
        return self.folder / "config"

    @property
    def exports(self) -> Path:
        return self.folder / "exports"

    def put_back(self, template: Path) -> None:
        """Everything as it is in the template."""
        for name in ("home", "config", "exports"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
            if (template / name).is_dir():
                shutil.copytree(template / name, self.folder / name, symlinks=True)

    def keep_as(self, template: Path) -> None:
        shutil.rmtree(template, ignore_errors=True)
        template.mkdir(parents=True)
        for name in ("home", "config", "exports"):
            if (self.folder / name).is_dir():
                shutil.copytree(self.folder / name, template / name, symlinks=True)


@dataclass(slots=True)
class Warm:
    place: Place
    shim: Shim
    process: subprocess.Popen[str]
    port: int = 0
    """Of the database server."""
    clock: int = 0
    """By how many seconds it is wrong."""
    links: bool = True
    """Whether the file system has hard links."""

    def lucid(self, *argv: str, fault: Fault = NO_FAULT) -> Ended:
        return self.do("lucid", {"argv": list(argv)}, fault=fault)

    def do(self, work: str, arguments: Mapping[str, Any] | None = None, *, fault: Fault = NO_FAULT) -> Ended:
        output = self.place.folder / "output"
        request = {
            "work": work,
            "arguments": dict(arguments or {}),
            "output": str(output),
            "environment": {},
            "seconds": SECONDS,
        }
        assert self.process.stdin is not None
        self.shim.arm(fault, port=self.port, clock=self.clock, links=self.links)
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self._answer()
        seen = self.shim.disarm()
        return Ended(answer["status"], output.read_text(errors="replace"), seen, answer["stayed"])

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, f"the warm process died: {self.process.poll()}"
        answer: dict[str, Any] = json.loads(line)
        return answer


@contextmanager
def warm(folder: Path, extra: Mapping[str, str] | None = None, *, port: int = 0) -> Iterator[Warm]:
    """`extra`: settings, such as DATABASE_URL."""
    folder = folder.resolve()
    place = Place(folder)
    place.home.mkdir(parents=True, exist_ok=True)
    shim = Shim(folder, [place.home, place.config, place.exports])
    env = {**environment(place.home, CLAUDE_CONFIG_DIR=str(place.config), **(extra or {})), **shim.environment}
    with (folder / "zygote.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.zygote"],
            cwd=ROOT,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            started = Warm(place, shim, process, port)
            assert "ready" in started._answer(), (folder / "zygote.log").read_text()
            yield started
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(60)


def best_folder() -> str | None:
    """Memory that looks like a disk, where there is any: what is measured here is not the disk."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
