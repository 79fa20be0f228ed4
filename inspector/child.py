"""Runs one command as a helper of `serve`, and ends when `serve` does, even if that was killed without warning."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

GRACE = 4.0


def end_with_parent() -> None:
    """Our standard input is a pipe from the parent, which writes nothing: it ends when the parent does."""
    threading.Thread(target=_wait_for_the_end, name="parent", daemon=True).start()


def _wait_for_the_end() -> None:
    while os.read(0, 4096):
        pass
    os.killpg(0, signal.SIGTERM)
    time.sleep(GRACE)
    os.killpg(0, signal.SIGKILL)


def main() -> int:
    end_with_parent()
    from inspector.cli import run

    return run(sys.argv[1:], foreground=True)


if __name__ == "__main__":
    sys.exit(main())
