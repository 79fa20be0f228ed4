"""A copy of the database before its schema changes."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from inspector.startup.errors import StartupError

KEPT = 2


def back_up(path: Path, schema: str) -> Path:
    """Copies the database, names the copy after its schema, and keeps only the newest copies."""
    folder = path.parent / "backups"
    copy = folder / f"{path.stem}-{schema}{path.suffix}"
    draft = copy.with_name(f"{copy.name}.part")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        draft.unlink(missing_ok=True)
        _copy(path, draft)
        draft.replace(copy)
    except (OSError, sqlite3.Error) as error:
        draft.unlink(missing_ok=True)
        raise StartupError(
            f"The database needs a newer schema, but no copy of it could be made in {folder} ({error}); "
            "make room there and start again."
        ) from error
    copies = sorted(folder.glob(f"{path.stem}-*{path.suffix}"), key=lambda file: file.stat().st_mtime_ns, reverse=True)
    for old in copies[KEPT:]:
        old.unlink()
    return copy


def _copy(path: Path, target: Path) -> None:
    source = sqlite3.connect(path, timeout=20)
    try:
        destination = sqlite3.connect(target)
        try:
            source.backup(destination)
        finally:
            destination.close()
    finally:
        source.close()
