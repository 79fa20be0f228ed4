"""Glob: files whose path matches a pattern, newest first. Links to directories are not followed."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

from inspector.agents.cancel import CancelToken
from inspector.agents.model import Json
from inspector.agents.tools.access import Readable
from inspector.agents.tools.pipeline import Limits
from inspector.agents.tools.tool import DeniedError, FailedError, ToolResult, schema, text_of

MATCHES = 100
LONGEST_PATTERN = 300


class Glob:
    name = "Glob"
    definition = schema(
        "Glob",
        f"Finds files by a pattern such as **/*.md, the newest first, {MATCHES} at most.",
        ["pattern"],
        pattern=("string", "With *, ?, [abc] and ** for any number of directories."),
        path=("string", "The directory to look in; the first directory if not given."),
    )

    def __init__(self, readable: Readable, limits: Limits | None = None) -> None:
        self._readable = readable
        self._limits = limits or Limits()

    def run(self, arguments: Json, cancel: CancelToken) -> ToolResult:
        pattern = text_of(arguments, "pattern")
        if pattern.startswith(("/", "~")) or ".." in pattern.split("/"):
            raise DeniedError("A pattern is relative to its directory and stays in it.")
        folder = self._readable.resolve(text_of(arguments, "path", str(self._readable.base)))
        if not folder.is_dir():
            raise FailedError(f"{arguments.get('path')} is no directory.")
        regex = as_regex(pattern)
        paths = [path for path, relative in self._walk(folder, cancel) if regex.fullmatch(relative)]
        paths.sort(key=lambda path: (-_time(path), str(path)))
        cut = [f"({len(paths) - MATCHES:,} more)"] if len(paths) > MATCHES else []
        return ToolResult("\n".join([*map(str, paths[:MATCHES]), *cut]) or "(no files)")

    def _walk(self, folder: Path, cancel: CancelToken) -> Iterator[tuple[Path, str]]:
        deadline = time.monotonic() + self._limits.seconds
        for directory, folders, files in os.walk(folder):
            cancel.check()
            if time.monotonic() > deadline:
                raise FailedError("There are too many files; look in a smaller directory.")
            folders.sort()
            for name in sorted(files):
                path = Path(directory, name)
                yield path, path.relative_to(folder).as_posix()


def as_regex(pattern: str) -> re.Pattern[str]:
    if len(pattern) > LONGEST_PATTERN:
        raise FailedError("The pattern is too long.")
    # A run of stars means the same as two, and would make the search endless.
    parts = re.split(r"(\*\*/|\*\*|\*|\?|\[[^\]/]+\])", re.sub(r"\*{3,}", "**", pattern))
    written = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    try:
        return re.compile("".join(written.get(part) or _literal(part) for part in parts), re.DOTALL)
    except re.error as error:
        raise FailedError("The pattern cannot be read.") from error


def _literal(part: str) -> str:
    if len(part) > 2 and part.startswith("[") and part.endswith("]"):
        inside = part[1:-1].replace("\\", "\\\\").replace("[", "\\[")
        return f"[^/{inside[1:]}]" if inside.startswith("!") else f"[{inside}]"
    return re.escape(part)


def _time(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except OSError:
        return 0.0
