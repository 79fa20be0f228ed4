"""Finds mentions of memory files in records of sessions: calls that wrote or read one, and attachments that hold one.

A memory directory is identified by the end of its path, `projects/<project>/memory`, because a session may have run on
another machine; one in an unusual place by its whole path."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

WRITERS = ("Write", "Edit", "MultiEdit")
READERS = ("Read",)
GIVERS = ("nested_memory", "relevant_memories", "instructions", "file", "edited_text_file")
_PATHS = ("path", "filePath", "filename", "file_path")
_DEPTH = 5
_STAMP = re.compile(r"\s*(?:node_type|originSessionId|modified):")
_QUOTED = re.compile(r"""^(\s*\w+:\s*)["'](.*)["']\s*$""")
_USUAL = re.compile(r"(?:^|/)(projects/[^/]+/memory)/(.+)")


class MentionKind(StrEnum):
    WROTE = "wrote"
    READ = "read"
    GIVEN = "given"


@dataclass(frozen=True, slots=True)
class Mention:
    place: str
    name: str
    kind: MentionKind
    detail: str
    """The tool, or the type of the attachment."""
    tool_id: str = ""
    arguments: dict[str, Any] = field(default_factory=dict, compare=False)
    """The input of the tool call."""


def place_of(directory: str) -> str:
    """How mentions identify a memory directory."""
    usual = _USUAL.search(f"{directory.rstrip('/')}/x")
    return usual[1] if usual and usual[2] == "x" else directory.rstrip("/")


def locate(path: str, elsewhere: Sequence[str] = ()) -> tuple[str, str] | None:
    """The directory and name of a path in a memory directory; None for any other path. `elsewhere`: unusual ones."""
    path = path.replace("\\", "/")
    for directory in elsewhere:
        if path.startswith(f"{directory}/"):
            return directory, path[len(directory) + 1 :]
    usual = _USUAL.search(path)
    return (usual[1], usual[2]) if usual else None


def find_mentions(record: dict[str, Any], elsewhere: Sequence[str] = ()) -> Iterator[Mention]:
    if record.get("type") == "attachment":
        yield from _find_given(record.get("attachment"), elsewhere)
        return
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, dict) or block.get("type") != "tool_use":
            continue
        name, arguments = block.get("name"), block.get("input")
        path = arguments.get("file_path") if isinstance(arguments, dict) else None
        location = locate(path, elsewhere) if isinstance(path, str) else None
        if location and isinstance(name, str) and isinstance(arguments, dict) and name in WRITERS + READERS:
            kind = MentionKind.WROTE if name in WRITERS else MentionKind.READ
            yield Mention(*location, kind, name, str(block.get("id") or ""), arguments)


def _find_given(attachment: Any, elsewhere: Sequence[str]) -> Iterator[Mention]:
    detail = attachment.get("type") if isinstance(attachment, dict) else None
    if detail not in GIVERS:
        return
    yielded: set[tuple[str, str]] = set()
    for path in _find_paths(attachment):
        location = locate(path, elsewhere)
        if location and location not in yielded:
            yielded.add(location)
            yield Mention(*location, MentionKind.GIVEN, str(detail))


def _find_paths(value: Any, depth: int = 0) -> Iterator[str]:
    if depth > _DEPTH:
        return
    if isinstance(value, dict):
        for key, part in value.items():
            if key in _PATHS and isinstance(part, str):
                yield part
            elif isinstance(part, dict | list):
                yield from _find_paths(part, depth + 1)
    elif isinstance(value, list):
        for part in value:
            yield from _find_paths(part, depth + 1)


def strip_client_fields(text: str) -> str:
    """The text without the header fields that the client adds when it writes a memory."""
    if not text.startswith("---\n"):
        return text
    header, end, body = text[4:].partition("\n---\n")
    if not end:
        return text
    lines = [_QUOTED.sub(r"\1\2", line) for line in header.split("\n") if not _STAMP.match(line)]
    return "\n".join([*lines, body])


def read_written_text(result: dict[str, Any]) -> str | None:
    """The text that a call wrote, if its result has it."""
    answer = result.get("toolUseResult")
    if not isinstance(answer, dict) or not isinstance(answer.get("filePath"), str):
        return None
    content = answer.get("content")
    return content if isinstance(content, str) else None


def apply_call(text: str, detail: str, arguments: dict[str, Any]) -> str | None:
    """Applies a call to a text; None if it does not apply."""
    if detail == "Write":
        content = arguments.get("content")
        return content if isinstance(content, str) else None
    edits = arguments.get("edits") if detail == "MultiEdit" else [arguments]
    for edit in edits if isinstance(edits, list) else ():
        old, new = (edit.get("old_string"), edit.get("new_string")) if isinstance(edit, dict) else (None, None)
        if not isinstance(old, str) or not isinstance(new, str):
            return None
        if old == "" and text == "":
            text = new
        elif old == "" or old not in text:
            return None
        else:
            text = text.replace(old, new) if edit.get("replace_all") else text.replace(old, new, 1)
    return text
