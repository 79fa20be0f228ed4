"""Replaces a file in one step: a reader sees either the old text or the new one, even after a crash."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path

from inspector.agents.tools.tool import FailedError


def write_atomically(path: Path, text: str, largest: int) -> None:
    data = text.encode()
    if len(data) > largest:
        raise FailedError(f"The text is too large: {len(data):,} bytes, and {largest:,} are allowed.")
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o644
    handle, name = tempfile.mkstemp(prefix=".lucid-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            os.fchmod(file.fileno(), mode)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
