"""Compares files, functions and options that a topic names with the project's checkout. Only code spans are examined,
and only names that certainly belong to the project."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory.files.engine.reading.directory import MemoryDirectory
from memory.files.engine.reading.file import MemoryFile
from memory.lint.engine.finding import Finding, Severity
from memory.lint.engine.surroundings import Checkout, Surroundings
from sessions.text.engine.excerpt import excerpt

_SPAN = re.compile(r"`([^`\n]{2,200})`")
_PATH = re.compile(
    r"(?:[\w.@+-]+/)+[\w.@+-]*|[\w+-]+(?:\.[\w+-]+)*\.(?:py|ts|tsx|js|jsx|mjs|rs|go|java|rb|c|h|cpp|sh|sql)"
)
_PLACE = re.compile(r":\d+(?::\d+)?$|#L\d+(?:-L?\d+)?$")
_CALL = re.compile(r"(?:[A-Za-z_]\w*(?:\.|::|#))*([A-Za-z_]\w{2,})\(\)")
_OPTION = re.compile(r"--[a-z][a-z0-9-]{2,}")
_ELSEWHERE = re.compile(
    r"^(?:~|/|\.\./|https?:|www\.|[a-z]+://|@|\$|node_modules/|[\w-]+\.(?:com|org|net|io|dev)/)|[*<>{}$…]|\.\.\."
)
_MOST = 200


def check(directory: MemoryDirectory, surroundings: Surroundings) -> Iterator[Finding]:
    checkout = surroundings.checkout
    if checkout is None:
        return
    names = set(directory.by_name)
    for topic in directory.topics:
        for count, (line, span) in enumerate(_find_spans(topic)):
            if count == _MOST:
                break
            yield from _check_span(topic, line, span, checkout, names)


def _find_spans(topic: MemoryFile) -> Iterator[tuple[int, str]]:
    spans: set[str] = set()
    for line in topic.body_lines:
        if line.in_code or "`" not in line.text:
            continue
        for match in _SPAN.finditer(line.text):
            if match[1] not in spans:
                spans.add(match[1])
                yield line.number, match[1].strip()


def _check_span(topic: MemoryFile, line: int, span: str, checkout: Checkout, names: set[str]) -> Iterator[Finding]:
    words = span.split()
    if not words or _ELSEWHERE.search(span):
        return
    if len(words) == 1 and (call := _CALL.fullmatch(span)):
        if checkout.has_word(call[1]) is False:
            message = f"No file of the project names the function {excerpt(span)}."
            yield Finding("missing-function", topic.name, Severity.NOTE, message, line)
        return
    script = ""
    for word in words:
        path = _PLACE.sub("", word.strip("'\"(),;")).removeprefix("./").rstrip("/")
        if not _PATH.fullmatch(f"{path}/" if word.endswith("/") else path) or path in names or word.endswith("()"):
            continue
        exists = checkout.has_file(path)
        if exists:
            script = path
        elif exists is False and _is_path(word):
            message = f"The project has no {excerpt(path)}."
            yield Finding("missing-file", topic.name, Severity.WARNING, message, line)
            return
    for option in _OPTION.findall(span) if script else ():
        if checkout.has_word(option.lstrip("-")) is False and checkout.has_word(option[2:].replace("-", "_")) is False:
            message = f"No file of the project names the option {option} of {excerpt(script)}."
            yield Finding("missing-option", topic.name, Severity.NOTE, message, line)


def _is_path(word: str) -> bool:
    """A path whose last part has a file extension. `and/or`, branches and repositories look like paths, too."""
    last = word.rstrip("/").rpartition("/")[2]
    return "." in last.lstrip(".") and not re.fullmatch(r"v?\d+(?:\.\d+)*", last)
