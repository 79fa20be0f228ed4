"""Files that could not be read, or not completely."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from memory.files.engine.reading.directory import MemoryDirectory
from memory.files.engine.reading.file import MemoryFile
from memory.lint.engine.finding import Changes, Finding, Fix, Severity
from memory.lint.engine.line_text import MOST_CHARACTERS
from memory.lint.engine.surroundings import Surroundings

_SEVERITIES = {
    "unreadable": Severity.ERROR,
    "too-large": Severity.ERROR,
    "too-many-files": Severity.ERROR,
    "invalid-yaml": Severity.WARNING,
    "not-utf-8": Severity.WARNING,
    "symlink": Severity.WARNING,
    "not-a-file": Severity.WARNING,
    "too-deep": Severity.WARNING,
}
_OF_HEADERS = frozenset({"invalid-yaml", "header-comment"})


def check(directory: MemoryDirectory, surroundings: Surroundings) -> Iterator[Finding]:
    for problem in directory.problems:
        yield Finding(problem.rule, "", _SEVERITIES[problem.rule], problem.message)
    for file in directory.files:
        yield from _check_file(file)


def is_binary(file: MemoryFile) -> bool:
    return "\0" in file.text[:MOST_CHARACTERS]


def _check_file(file: MemoryFile) -> Iterator[Finding]:
    if is_binary(file):
        yield Finding("binary", file.name, Severity.ERROR, "The file holds no text; the agent can make nothing of it.")
        return
    for problem in file.problems:
        if problem.rule not in _OF_HEADERS:
            fix = _reencoding_fix(file) if problem.rule == "not-utf-8" and file.is_whole else None
            severity = _SEVERITIES[problem.rule]
            yield Finding(problem.rule, file.name, severity, problem.message, problem.line, fix=fix)
    if file.is_whole and len(file.text) > MOST_CHARACTERS:
        words = f"The file has {len(file.text):,} characters; only the first {MOST_CHARACTERS:,} were looked at."
        yield Finding("too-large", file.name, Severity.ERROR, words)


def _reencoding_fix(file: MemoryFile) -> Fix:
    return Fix("Write it as UTF-8", partial(_as_utf8, file))


def _as_utf8(file: MemoryFile) -> Changes:
    """Decodes invalid bytes as Windows-1252, where most of such files come from."""
    if file.source.is_valid:
        return {file.name: file.source.text.encode()}
    letters = (_decode_windows(char) if "\udc80" <= char <= "\udcff" else char for char in file.source.text)
    return {file.name: file.source.mark + "".join(letters).encode()}


def _decode_windows(char: str) -> str:
    return bytes([ord(char) - 0xDC00]).decode("cp1252", "replace")
