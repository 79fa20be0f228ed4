"""Read: lines of a text file with line numbers."""

from __future__ import annotations

from inspector.agents.cancel import CancelToken
from inspector.agents.model import Json
from inspector.agents.tools.access import Readable
from inspector.agents.tools.tool import FailedError, ToolResult, number_of, schema, text_of

LINES = 2_000
LONGEST_LINE = 2_000
LARGEST_TEXT = 100_000
LARGEST_FILE = 200_000_000
"""Bytes; a file may be a single line, which has to fit into memory."""


class Read:
    name = "Read"
    definition = schema(
        "Read",
        "Reads a text file. Lines come with their numbers. Use `offset` and `limit` for parts of a long file.",
        ["file_path"],
        file_path=("string", "The file, as a whole path or relative to the first directory."),
        offset=("integer", "The first line to read, from 1."),
        limit=("integer", f"How many lines to read; {LINES:,} if not given."),
    )

    def __init__(self, readable: Readable) -> None:
        self._readable = readable

    def run(self, arguments: Json, cancel: CancelToken) -> ToolResult:
        name = text_of(arguments, "file_path")
        first, limit = number_of(arguments, "offset", 1, 0) or 1, number_of(arguments, "limit", LINES)
        path = self._readable.file(name)
        if path.stat().st_size > LARGEST_FILE:
            raise FailedError(f"{name} is too large; look at its head or tail, or search it.")
        lines: list[str] = []
        size = 0
        with path.open("rb") as file:
            if b"\0" in file.read(8192):
                raise FailedError(f"{name} is not a text file.")
            file.seek(0)
            for number, line in enumerate(file, 1):
                if number % 1000 == 0:
                    cancel.check()
                if number < first:
                    continue
                if number >= first + limit or size > LARGEST_TEXT:
                    lines.append(f"(more follows; read on with offset {number})")
                    break
                text = line.rstrip(b"\r\n").decode(errors="replace")
                cut = text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]} (line cut)"
                size += len(cut)
                lines.append(f"{number:6}\t{cut}")
        return ToolResult("\n".join(lines) or "(the file has no such lines)")
