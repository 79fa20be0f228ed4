"""One server per home: two would both watch, import and work on the same queue."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import IO

from inspector.startup.errors import StartupError


def running_at(home: Path) -> str | None:
    """The address of the running server of this home; None if there is none."""
    try:
        with open(home / "serve.lock", encoding="utf-8", errors="replace") as claim:
            try:
                fcntl.flock(claim, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return claim.read().strip() or None
    except FileNotFoundError:
        pass
    return None


def claim_home(home: Path, url: str) -> IO[str]:
    """Locks the home while the returned file is open; the system releases it when the process ends."""
    claim = open(home / "serve.lock", "a+", encoding="utf-8", errors="replace")  # noqa: SIM115 - it stays open on purpose
    try:
        fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        claim.seek(0)
        where = claim.read().strip() or "another address"
        claim.close()
        raise StartupError(
            f"Lucid already runs on {where} with the same home {home}; open that page, "
            "or set LUCID_HOME to another directory for a second one."
        ) from None
    claim.seek(0)
    claim.truncate()
    claim.write(f"{url}\n")
    claim.flush()
    return claim
