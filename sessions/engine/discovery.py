"""Finds transcripts and spilled tool output below the given paths. Looks at names and sizes only."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath

import orjson

from sessions.engine.linking import FileRole, classify

SKIPPED = frozenset({"node_modules", ".git", "file-history", "shell-snapshots"})
SNIFF_BYTES = 64 * 1024
MARKS_OF_A_RECORD = ("type", "uuid", "sessionId", "parentUuid", "leafUuid")
FIRST_KEY = re.compile(rb'[\s\0]*\{"(type|uuid|parentUuid|sessionId|leafUuid|isSidechain|messageId|cwd)"')


@dataclass(frozen=True, slots=True)
class Candidate:
    path: str
    project: str
    """The directory that stands for the project."""
    role: FileRole
    size: int
    mtime_ns: int
    device: int
    inode: int


class PathMissingError(ValueError):
    """A path that was asked for is not there."""


def discover(paths: Iterable[Path]) -> Iterator[Candidate]:
    """Every transcript and spilled output below `paths`: files, project directories, or configuration directories."""
    for path in paths:
        path = Path(os.path.abspath(path.expanduser()))
        if path.is_file():
            yield candidate(path, path.stat())
            continue
        if not path.is_dir():
            raise PathMissingError(f"{path} does not exist.")
        projects = path / "projects"
        yield from _walk(projects if projects.is_dir() else path)


def candidate(path: Path, status: os.stat_result) -> Candidate:
    project = project_of(path)
    role = classify(path.relative_to(project))
    return Candidate(str(path), str(project), role, status.st_size, status.st_mtime_ns, status.st_dev, status.st_ino)


def wanted(name: str, directory: str) -> bool:
    return name.endswith(".jsonl") or (directory.endswith("tool-results") and not name.startswith("."))


def _walk(root: Path) -> Iterator[Candidate]:
    stack = [str(root)]
    while stack:
        directory = stack.pop()
        try:
            listing = sorted(os.scandir(directory), key=lambda entry: entry.name)
        except PermissionError:
            continue
        for entry in listing:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in SKIPPED:
                    stack.append(entry.path)
            elif wanted(entry.name, directory) and entry.is_file():
                yield candidate(Path(entry.path), entry.stat())


def project_of(path: PurePath) -> PurePath:
    """The directory that holds the session's main transcript, whichever of its files this is."""
    folders = path.parts[:-1]
    if folders[-3:-1] == ("subagents", "workflows"):
        folders = folders[:-2]
    if folders[-1:] in (("subagents",), ("tool-results",)) and len(folders) > 2:
        return PurePath(*folders[:-2])
    return path.parent


def is_transcript(path: Path) -> bool:
    """Other JSON Lines files lie about too: one of the first lines must look like a record."""
    with path.open("rb") as file:
        start = file.read(SNIFF_BYTES)
    if not start.strip():
        return True
    return any(_looks_like_a_record(line) for line in start.split(b"\n")[:20])


def _looks_like_a_record(line: bytes) -> bool:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        # Broken, or longer than we looked: the first key tells.
        return FIRST_KEY.match(line) is not None
    return isinstance(record, dict) and any(mark in record for mark in MARKS_OF_A_RECORD)
