"""Processes that lead a group of their own, so that they can be ended with everything that they have started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess


def end_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
