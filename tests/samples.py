"""Real transcripts that lie beside the repository. Tests that use them are skipped where they are not, and say so."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"
REQUEST_LOG = "requests.jsonl"
"""Beside the real client's transcripts lies what it sent; that is no transcript."""

MISSING = "The folder of samples does not lie beside the repository."
needs_samples = pytest.mark.skipif(
    not ((SHARED / "corpus").is_dir() and (SHARED / "realclient").is_dir()), reason=MISSING
)


def transcripts(part: str) -> list[Path]:
    return sorted(path for path in (SHARED / part).rglob("*.jsonl") if path.name != REQUEST_LOG)


def each(paths: Sequence[Path], *, every: int = 1) -> Sequence[Path | pytest.ParameterSet]:
    """What a test is run for; all but every so many of them by `make long`. Without samples that is one test which is
    skipped, as none at all would not be missed."""
    if not paths:
        return [pytest.param(None, id="without samples", marks=pytest.mark.skip(reason=MISSING))]
    return [
        path if number % every == 0 else pytest.param(path, marks=pytest.mark.long) for number, path in enumerate(paths)
    ]
