"""Processes in a group of their own, so that they can be ended together with everything they started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess


def end_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
