"""Real transcripts that lie beside the repository. Tests that use them are skipped where they are not."""

from __future__ import annotations

from pathlib import Path

SHARED = Path(__file__).resolve().parents[2] / "../shared"
PARTS = [SHARED / "corpus", SHARED / "realclient"]
REQUEST_LOG = "requests.jsonl"
"""Beside the real client's transcripts lies what it sent; that is no transcript."""

FILES = sorted(path.resolve() for part in PARTS for path in part.rglob("*.jsonl") if path.name != REQUEST_LOG)


def name(path: Path) -> str:
    """Short, and different for every file."""
    return f"{path.relative_to(SHARED.resolve()).parts[1][:18]}/{path.stem[:14]}"


def lines(path: Path) -> int:
    return sum(1 for line in path.read_bytes().split(b"\n") if line.strip())
