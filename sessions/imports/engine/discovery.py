"""Finds transcripts and spilled tool output below the given paths, by names and sizes alone."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath

import orjson

from sessions.text.engine.error_reason import reason_of
from sessions.transcripts.engine.paths import encode_path
from sessions.transcripts.engine.roles import FileRole, classify

SKIPPED = frozenset({"node_modules", ".git", "file-history", "shell-snapshots"})
LARGEST_INTEGER = (1 << 63) - 1
SNIFF_BYTES = 16 * 1024
MARKS_OF_A_RECORD = ("type", "uuid", "sessionId", "parentUuid", "leafUuid")
FIRST_KEY = re.compile(rb'[\s\0]*\{"(type|uuid|parentUuid|sessionId|leafUuid|isSidechain|messageId|cwd)"')


@dataclass(frozen=True)
class Candidate:
    path: str
    size: int
    mtime_ns: int
    device: int
    inode: int
    refusal: str = ""
    """Why it cannot be read; the path may then be a directory."""

    # Computed on demand, because most files have not changed and need neither.
    @cached_property
    def project(self) -> str:
        """The directory that stands for the project."""
        return str(project_of(PurePath(self.path)))

    @cached_property
    def role(self) -> FileRole:
        return classify(PurePath(self.path).relative_to(self.project))


class PathMissingError(ValueError):
    """A requested path does not exist or cannot be read."""


def discover(paths: Iterable[Path]) -> Iterator[Candidate]:
    """Every transcript and spilled output below `paths`: files, project directories, or configuration directories."""
    for path in paths:
        path = Path(os.path.abspath(path.expanduser()))
        try:
            if path.is_file():
                yield make_candidate(str(path), path.stat())
                continue
            if not path.is_dir():
                problem = "is neither a file nor a directory" if path.exists() else "does not exist"
                raise PathMissingError(f"{path} {problem}.")
            projects = path / "projects"
            root = projects if projects.is_dir() else path
        except OSError as error:
            raise PathMissingError(f"{path} cannot be read ({reason_of(error)}).") from error
        yield from _walk(root)


def make_candidate(path: str, status: os.stat_result) -> Candidate:
    """`path` must be absolute and normalised."""
    device, inode = _fit_column(status.st_dev), _fit_column(status.st_ino)
    return Candidate(encode_path(path), status.st_size, _fit_column(status.st_mtime_ns), device, inode)


def _fit_column(number: int) -> int:
    """Inodes are unsigned 64-bit numbers and file times may lie in the far future, but columns are signed."""
    return number if -LARGEST_INTEGER <= number <= LARGEST_INTEGER else number & LARGEST_INTEGER


def _refuse(path: str, reason: str) -> Candidate:
    return Candidate(encode_path(path), 0, 0, 0, 0, reason)


def is_session_file(name: str, directory: str) -> bool:
    return name.endswith(".jsonl") or (directory.endswith("tool-results") and not name.startswith("."))


def is_inside(root: Path, path: Path) -> bool:
    """Whether there is no symbolic link on the way from `root` to `path`."""
    return os.path.realpath(path) == os.path.join(os.path.realpath(root), os.path.relpath(path, root))


def _walk(root: Path) -> Iterator[Candidate]:
    limits = os.path.realpath(root) + os.sep
    stack = [str(root)]
    while stack:
        directory = stack.pop()
        try:
            with os.scandir(directory) as entries:
                listing = sorted(entries, key=lambda entry: entry.name)
        except FileNotFoundError:
            continue
        except OSError as error:
            yield _refuse(directory, reason_of(error))
            continue
        for entry in listing:
            try:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in SKIPPED:
                        stack.append(entry.path)
                elif candidate := _examine(entry, directory, limits):
                    yield candidate
            except FileNotFoundError:
                continue
            except OSError as error:
                yield _refuse(entry.path, reason_of(error))


def _examine(entry: os.DirEntry[str], directory: str, limits: str) -> Candidate | None:
    """The candidate, if we read such files. Links are not followed: their target is found in its own place, or is not
    ours."""
    if entry.is_symlink():
        matters = entry.is_dir() or (is_session_file(entry.name, directory) and entry.is_file())
        if matters and not os.path.realpath(entry.path).startswith(limits):
            return _refuse(entry.path, "a link that leads out of the directory; links are not followed")
        return None
    if not is_session_file(entry.name, directory) or not entry.is_file():
        return None
    return make_candidate(entry.path, entry.stat())


def project_of(path: PurePath) -> PurePath:
    """The directory that holds the session's main transcript, whichever of its files this is."""
    folders = path.parts[:-1]
    if folders[-3:-1] == ("subagents", "workflows"):
        folders = folders[:-2]
    if folders[-1:] in (("subagents",), ("tool-results",)) and len(folders) > 2:
        return PurePath(*folders[:-2])
    return path.parent


def is_transcript(path: Path) -> bool:
    """There are other JSON Lines files too, so one of the first lines must look like a record."""
    with path.open("rb") as file:
        start = file.read(SNIFF_BYTES)
    if not start.strip():
        return True
    return any(_looks_like_a_record(line) for line in start.split(b"\n")[:20])


def _looks_like_a_record(line: bytes) -> bool:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        # Broken, or longer than what was read: the first key decides.
        return FIRST_KEY.match(line) is not None
    return isinstance(record, dict) and any(mark in record for mark in MARKS_OF_A_RECORD)
