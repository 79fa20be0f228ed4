"""Which files of instructions there can be for a working directory, in the order in which they are loaded."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memory.engine.chain.link import Layer, When

MANAGED = (Path("/etc/claude-code"), Path("/Library/Application Support/ClaudeCode"))
MOST_FOLDERS = 2_000
"""Below the working directory; further ones are not looked at."""
_SKIPPED = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__", "dist", "build", "target"})


@dataclass(frozen=True, slots=True)
class Candidate:
    path: Path
    layer: Layer
    when: When = When.START


def at_start(directory: Path, config: Path, managed: tuple[Path, ...] = MANAGED) -> Iterator[Candidate]:
    """Managed, user, then for each directory from the root of the file system down to the working directory: the
    project's, its rules, and what is local."""
    for folder in managed:
        yield Candidate(folder / "CLAUDE.md", Layer.MANAGED)
        yield from _rules(folder / ".claude" / "rules", Layer.MANAGED)
    yield Candidate(config / "CLAUDE.md", Layer.USER)
    yield from _rules(config / "rules", Layer.USER)
    for folder in [*reversed(directory.parents), directory][1:] or [directory]:
        yield from _of(folder, When.START)


def below(directory: Path) -> Iterator[Candidate]:
    """Those that are loaded once the agent reads something beside them."""
    for at, (folder, folders, _) in enumerate(os.walk(directory)):
        if at == MOST_FOLDERS:
            return
        folders[:] = sorted(name for name in folders if name not in _SKIPPED and name != ".claude")
        if at:
            yield from _of(Path(folder), When.ON_ENTRY)


def _of(folder: Path, when: When) -> Iterator[Candidate]:
    yield Candidate(folder / "CLAUDE.md", Layer.PROJECT, when)
    yield Candidate(folder / ".claude" / "CLAUDE.md", Layer.PROJECT, when)
    yield from _rules(folder / ".claude" / "rules", Layer.PROJECT, when)
    yield Candidate(folder / "CLAUDE.local.md", Layer.LOCAL, when)


def _rules(folder: Path, layer: Layer, when: When = When.START) -> Iterator[Candidate]:
    if folder.is_dir():
        for path in sorted(folder.rglob("*.md"))[:MOST_FOLDERS]:
            yield Candidate(path, layer, when)
