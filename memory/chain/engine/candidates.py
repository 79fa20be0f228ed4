"""Possible instruction files of a working directory, in load order."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memory.chain.engine.chain_file import Layer, When

MANAGED = (Path("/etc/claude-code"), Path("/Library/Application Support/ClaudeCode"))
MOST_FOLDERS = 2_000
"""Below the working directory; further ones are not looked at."""
_SKIPPED = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__", "dist", "build", "target"})


@dataclass(frozen=True, slots=True)
class Candidate:
    path: Path
    layer: Layer
    when: When = When.START
    root: Path = Path("/")
    """The directory that the file, with all links resolved, must lie in. Has no links itself."""


def files_at_start(
    directory: Path, config: Path, project: Path, managed: tuple[Path, ...] = MANAGED
) -> Iterator[Candidate]:
    """Managed, user, then for each directory from the root of the file system down to the working directory: project
    files, rules and local files."""
    project = Path(os.path.realpath(project))
    for folder in managed:
        root = Path(os.path.realpath(folder))
        yield Candidate(folder / "CLAUDE.md", Layer.MANAGED, root=root)
        yield from _rules(folder / ".claude" / "rules", Layer.MANAGED, root)
    root = Path(os.path.realpath(config))
    yield Candidate(config / "CLAUDE.md", Layer.USER, root=root)
    yield from _rules(config / "rules", Layer.USER, root)
    for folder in [*reversed(directory.parents), directory][1:] or [directory]:
        yield from _folder_files(folder, When.START, project)


def files_below(directory: Path, project: Path) -> Iterator[Candidate]:
    """Files that are loaded when the agent reads something beside or below them."""
    project = Path(os.path.realpath(project))
    for count, (folder, folders, _) in enumerate(os.walk(directory)):
        if count == MOST_FOLDERS:
            return
        folders[:] = sorted(name for name in folders if name not in _SKIPPED and name != ".claude")
        if count:
            yield from _folder_files(Path(folder), When.ON_ENTRY, project)


def _folder_files(folder: Path, when: When, project: Path) -> Iterator[Candidate]:
    """Above the project, directories may belong to others: there each file must be exactly at its path."""
    real = Path(os.path.realpath(folder))
    inner = real.is_relative_to(project)

    def root(*parts: str) -> Path:
        return project if inner else real.joinpath(*parts)

    yield Candidate(folder / "CLAUDE.md", Layer.PROJECT, when, root("CLAUDE.md"))
    yield Candidate(folder / ".claude" / "CLAUDE.md", Layer.PROJECT, when, root(".claude", "CLAUDE.md"))
    yield from _rules(folder / ".claude" / "rules", Layer.PROJECT, root(".claude", "rules"), when)
    yield Candidate(folder / "CLAUDE.local.md", Layer.LOCAL, when, root("CLAUDE.local.md"))


def _rules(folder: Path, layer: Layer, root: Path, when: When = When.START) -> Iterator[Candidate]:
    if not folder.is_dir():
        return
    if not Path(os.path.realpath(folder)).is_relative_to(root):
        yield Candidate(folder, layer, when, root)  # not even the names in it are read
        return
    for path in sorted(folder.rglob("*.md"))[:MOST_FOLDERS]:
        yield Candidate(path, layer, when, root)
