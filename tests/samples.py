"""Real transcripts that lie beside the repository. Tests that use them are skipped where they are not."""

from __future__ import annotations

from pathlib import Path

SHARED = Path(__file__).resolve().parents[2] / "shared"
REQUEST_LOG = "requests.jsonl"
"""Beside the real client's transcripts lies what it sent; that is no transcript."""


def transcripts(part: str) -> list[Path]:
    return sorted(path for path in (SHARED / part).rglob("*.jsonl") if path.name != REQUEST_LOG)
