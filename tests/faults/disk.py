"""A disk that really is full: a small file system in memory, with less and less room left. Needs root, to mount it."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.faults.table import Row, Tell
from tests.faults.tree import FILES, PROJECT, write_memory, write_sessions
from tests.serving import lucid

SIZE = 24 * 1024 * 1024
ROOM = (0, 8 * 1024, 64 * 1024, 512 * 1024)
"""Bytes that are left."""


@contextmanager
def small_disk() -> Iterator[Path]:
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small file system")
    with tempfile.TemporaryDirectory(prefix="lucid-small-") as folder:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", folder]
        if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
            pytest.skip("no file system can be mounted here")
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "-l", folder], check=True)


def fill(folder: Path, left: int) -> Path:
    """A file that takes all room but this."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(1 << 20))
        except OSError:
            pass
    with filler.open("rb+") as file:
        file.truncate(max(0, filler.stat().st_size - left))
    return filler


def full_disk(tell: Tell = print) -> Row:
    row = Row("the disk is full", "import, tidy, check", "SQLite", "a real file system, four sizes of room")
    with small_disk() as folder:
        home, config = folder / "home", folder / "config"
        assert lucid(home, "check").returncode == 0
        write_sessions(config, turns=60)
        write_memory(config)
        memory = config / "projects" / PROJECT / "memory"
        env = {"CLAUDE_CONFIG_DIR": str(config)}
        for left in ROOM:
            filler = fill(folder, left)
            commands: list[tuple[str, ...]] = [("import",), ("dream", str(memory), "--accept"), ("check",)]
            for argv in commands:
                result = lucid(home, *argv, **env)
                row.add(told=result.returncode == 1, lost=_untold(argv, left, result), tell=tell)
            texts = {path.name: path.read_text() for path in memory.glob("*.md")}
            if {name: text for name, text in texts.items() if name != "MEMORY.md"} != _topics():
                row.add(told=False, lost=[f"with {left} bytes left, memory is {texts}"], tell=tell)
            filler.unlink()
        commands = [("import",), ("check",), ("dream", str(memory))]
        for argv in commands:
            result = lucid(home, *argv, **env)
            wrong = [f"with room again, {argv[0]} fails: {result.stderr[-500:]}"] if result.returncode else []
            row.add(told=False, lost=wrong, tell=tell)
    return row


def _topics() -> dict[str, str]:
    return {name: text for name, text in FILES.items() if name != "MEMORY.md"}


def _untold(argv: tuple[str, ...], left: int, done: subprocess.CompletedProcess[str]) -> list[str]:
    output = done.stdout + done.stderr
    if "Traceback" in output or "unexpectedly" in output or done.returncode not in (0, 1):
        return [f"with {left} bytes left, {argv[0]} ended with {done.returncode}: {output[-500:]}"]
    return []
