"""All of the real transcripts, as files."""

from __future__ import annotations

from pathlib import Path

from tests.samples import SHARED, transcripts

PARTS = [SHARED / "corpus", SHARED / "realclient"]
FILES = sorted(path.resolve() for part in PARTS for path in transcripts(part.name))


def name(path: Path) -> str:
    """Short, and different for every file."""
    return f"{path.relative_to(SHARED.resolve()).parts[1][:18]}/{path.stem[:14]}"


def lines(path: Path) -> int:
    return sum(1 for line in path.read_bytes().split(b"\n") if line.strip())
