"""The fault layer (shim.c) from the outside: compiled once, armed before an attempt, asked after it."""

from __future__ import annotations

import errno
import mmap
import os
import shutil
import struct
import subprocess
import tempfile
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_name("shim.c")
LAYOUT = struct.Struct("<9q256s")


class Mode(IntEnum):
    COUNT = 0
    ONCE = 1
    ON = 2
    """From then on."""
    KILL = 3


class Trouble(StrEnum):
    FULL = "ENOSPC"
    BROKEN = "EIO"
    SHORT = "short"
    """Half of a write, which the system may do at any time; from then on the disk is full."""

    @property
    def code(self) -> int:
        return {Trouble.FULL: errno.ENOSPC, Trouble.BROKEN: errno.EIO, Trouble.SHORT: 0}[self]


@dataclass(frozen=True, slots=True)
class Fault:
    at: int
    mode: Mode
    trouble: Trouble = Trouble.FULL

    def __str__(self) -> str:
        if self.mode is Mode.KILL:
            return f"kill at call {self.at}{' in the middle of it' if self.trouble is Trouble.SHORT else ''}"
        return f"{self.trouble} at call {self.at}, {'once' if self.mode is Mode.ONCE else 'and from then on'}"


NO_FAULT = Fault(0, Mode.COUNT)


@dataclass(frozen=True, slots=True)
class Seen:
    """What the layer saw of an attempt."""

    calls: int
    hits: int
    what: str
    """The call that was hit first."""


class Shim:
    """One piece of shared memory; whoever is started with its environment is subject to it."""

    def __init__(self, folder: Path, under: list[Path]) -> None:
        self._file = folder / "faults.state"
        self._file.write_bytes(bytes(LAYOUT.size))
        with self._file.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), LAYOUT.size)
        self.environment = {
            "LD_PRELOAD": str(library()),
            "FAULTS_STATE": str(self._file),
            "FAULTS_UNDER": ":".join(str(path) for path in under),
        }

    def arm(self, fault: Fault, *, port: int = 0, clock: int = 0, links: bool = True) -> None:
        """`clock`: by how many seconds the clock of whoever looks at it is wrong. `links`: whether files may have more
        than one name, which they may not on every disk."""
        code = fault.trouble.code
        self._memory[:] = LAYOUT.pack(1, 0, fault.at, fault.mode, code, 0, port, clock * 1_000_000_000, not links, b"")

    def disarm(self) -> Seen:
        _, count, _, _, _, fired, _, _, _, what = LAYOUT.unpack(self._memory[:])
        self._memory[:] = bytes(LAYOUT.size)
        return Seen(count, fired, os.fsdecode(what.rstrip(b"\0")))


_library: Path | None = None


def library() -> Path:
    global _library
    if _library is None:
        compiler = shutil.which("gcc") or shutil.which("cc")
        if compiler is None:
            pytest.skip("no C compiler (gcc): the fault layer cannot be built")
        target = Path(tempfile.mkdtemp(prefix="lucid-shim-")) / "shim.so"
        command = [compiler, "-O2", "-shared", "-fPIC", "-o", str(target), str(SOURCE), "-ldl"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stderr
        _library = target
    return _library
