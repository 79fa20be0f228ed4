"""A directory of memories for tests of recall, with files of a known age."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memory.files.engine.disk import Folder
from memory.recall.engine import (
    Choice,
    PreparedRecall,
    Ranker,
    RecallResult,
    RecallState,
    build_documents,
    finish_recall,
    prepare_recall,
    scan_memory,
)

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)


def put(root: Path, name: str, text: str | bytes, *, days: float = 0) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    saved_at = (NOW - timedelta(days=days)).timestamp()
    os.utime(path, (saved_at, saved_at))
    return path


def topic(description: str, body: str = "Text.", *, kind: str = "feedback", name: str = "") -> str:
    return f"---\nname: {name or 'x'}\ndescription: {description}\nmetadata:\n  type: {kind}\n---\n\n{body}\n"


def prepare(root: Path, message: str, state: RecallState | None = None) -> PreparedRecall:
    with Folder(root) as folder:
        return prepare_recall(scan_memory(folder), message, state or RecallState(), NOW)


def recall(root: Path, message: str, state: RecallState | None = None, choice: Choice | None = None) -> RecallResult:
    """By the ranker, unless somebody else chose."""
    with Folder(root) as folder:
        ready = prepare_recall(scan_memory(folder), message, state or RecallState(), NOW)
        chosen = choice or Ranker(build_documents(folder, ready.candidates, NOW)).choose(message, ready.names)
        return finish_recall(folder, ready, chosen, NOW)
