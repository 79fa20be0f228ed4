"""The note in the home that says when and where the last backup was made."""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path

from inspector.backup.selectors import NOTE
from sessions.transcripts.engine.paths import encode_path


def note_write(*, home: Path, path: Path, at: int, size: int) -> None:
    draft = home / f".{NOTE}.{secrets.token_hex(4)}"
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            json.dump({"path": encode_path(path.absolute()), "at": at, "bytes": size}, file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(home / NOTE)
    finally:
        draft.unlink(missing_ok=True)
