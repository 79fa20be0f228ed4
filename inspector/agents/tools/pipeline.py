"""Runs checked commands without a shell: a pipeline in one process group, with limits on everything."""

from __future__ import annotations

import contextlib
import os
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from inspector.agents.cancel import TICK, CancelToken
from inspector.agents.tools.tool import FailedError

_PATH = "/usr/bin:/bin"
_ENVIRONMENT = {"PATH": _PATH, "LC_ALL": "C.UTF-8"}
_MOST_ERRORS = 4_000
_CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class Limits:
    seconds: float = 20.0
    output: int = 60_000
    """Bytes; the rest is not read."""


@dataclass(frozen=True, slots=True)
class CommandResult:
    code: int
    """Exit code of the last command."""
    output: str
    errors: str
    notes: tuple[str, ...] = ()
    """What was cut, and why."""


def run_pipeline(stages: Sequence[Sequence[str]], folder: Path, limits: Limits, cancel: CancelToken) -> CommandResult:
    """Each stage reads the output of the one before it; the first reads nothing."""
    cancel.check()
    errors_read, errors_write = os.pipe()
    processes: list[subprocess.Popen[bytes]] = []
    try:
        try:
            _start(stages, folder, errors_write, processes)
        finally:
            os.close(errors_write)
        output, errors, notes = _collect(processes, errors_read, limits, cancel)
        if not notes:
            with contextlib.suppress(subprocess.TimeoutExpired):  # it has closed everything: it is about to end
                processes[-1].wait(1)
    finally:
        os.close(errors_read)
        _end(processes)
    return CommandResult(processes[-1].returncode, output, errors, notes)


def _start(
    stages: Sequence[Sequence[str]], folder: Path, errors: int, processes: list[subprocess.Popen[bytes]]
) -> None:
    for stage in stages:
        program = shutil.which(stage[0], path=_PATH)
        if program is None:
            raise FailedError(f"The program {stage[0]} is not installed.")
        before = processes[-1].stdout if processes else None
        processes.append(
            subprocess.Popen(
                [stage[0], *stage[1:]],
                executable=program,
                cwd=folder,
                env=_ENVIRONMENT,
                stdin=before or subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                process_group=processes[0].pid if processes else 0,
            )
        )
        if before is not None:
            before.close()


def _collect(
    processes: list[subprocess.Popen[bytes]], errors_read: int, limits: Limits, cancel: CancelToken
) -> tuple[str, str, tuple[str, ...]]:
    last = processes[-1].stdout
    assert last is not None
    output, errors = bytearray(), bytearray()
    deadline = time.monotonic() + limits.seconds
    with selectors.DefaultSelector() as waiting:
        waiting.register(last, selectors.EVENT_READ, (output, limits.output))
        waiting.register(errors_read, selectors.EVENT_READ, (errors, _MOST_ERRORS))
        while waiting.get_map():
            cancel.check()
            if time.monotonic() > deadline:
                return _decode(output), _decode(errors), (f"(stopped after {limits.seconds:g} seconds)",)
            for key, _ in waiting.select(TICK):
                gathered, most = key.data
                piece = os.read(key.fd, _CHUNK)
                gathered += piece[: most - len(gathered)]
                if not piece:
                    waiting.unregister(key.fileobj)
                elif gathered is output and len(gathered) >= most:
                    return _decode(output), _decode(errors), (f"(cut after {most:,} bytes)",)
    return _decode(output), _decode(errors), ()


def _end(processes: list[subprocess.Popen[bytes]]) -> None:
    # Until the first process has been waited for, its id cannot belong to another group.
    if processes and processes[0].returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(processes[0].pid, signal.SIGKILL)
    for process in processes:
        if process.stdout is not None:
            process.stdout.close()
        process.wait()


def _decode(data: bytearray) -> str:
    return data.decode(errors="replace").rstrip("\n")
