"""Runs a command as a helper of `serve`, and ends when `serve` does, even if it was killed."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

GRACE = 4.0
PATIENT = ("worker",)
"""Commands that may have to finish paid work first."""


def end_with_parent() -> None:
    """Standard input is a pipe from the parent, which writes nothing: it closes when the parent ends."""
    threading.Thread(target=_wait_for_the_end, name="parent", daemon=True).start()


def _wait_for_the_end() -> None:
    while os.read(0, 4096):
        pass
    os.killpg(0, signal.SIGTERM)
    time.sleep(GRACE + _patience())
    os.killpg(0, signal.SIGKILL)


def _patience() -> float:
    if not sys.argv[1:] or sys.argv[1] not in PATIENT:
        return 0.0
    from inspector.settings import LUCID_STOP_SECONDS

    return float(LUCID_STOP_SECONDS)


def main() -> int:
    end_with_parent()
    from inspector.cli import run

    return run(sys.argv[1:], foreground=True)


if __name__ == "__main__":
    sys.exit(main())
