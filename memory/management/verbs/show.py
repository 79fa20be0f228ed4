"""`lucid memory show`: the files of a memory directory, and the part of its index that is loaded."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import OutputWrapper

from memory.files.engine.reading import MemoryDirectory, MemoryFile
from memory.management.verbs.verb import directory_at
from sessions.secrets.engine import mask
from sessions.text.engine.terminal import printable

HELP = "Show what is in a memory directory, and how much of its index the agent loads."
NEEDS_DATABASE = False


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("directory", metavar="DIR", type=Path, help="memory directory")
    parser.add_argument("--loaded", action="store_true", help="print only the part of the index that the agent loads")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(options: dict[str, Any], out: OutputWrapper) -> None:
    directory = directory_at(options["directory"])
    if options["json"]:
        out.write(json.dumps(_document(directory)))
    elif options["loaded"]:
        for line in mask(directory.index.loaded.agent_text).split("\n"):
            out.write(printable(line))
    else:
        _tell(directory, out)


def _tell(directory: MemoryDirectory, out: OutputWrapper) -> None:
    index = directory.index
    out.write(printable(directory.path))
    out.write(
        f"{index.loaded_lines:,} of {index.line_count:,} lines and {index.loaded_bytes:,} of {index.file.size:,} bytes "
        "of the index are loaded"
    )
    for file in directory.files:
        kind = file.type or file.written_type or file.kind
        about = printable(mask(file.description)) or (file.problems[0].message if file.problems else "")
        line = f"{printable(kind):<10} {file.size:>8,}  {file.modified_at:%Y-%m-%d}  {printable(file.name)}  {about}"
        out.write(line.rstrip())


def _document(directory: MemoryDirectory) -> dict[str, Any]:
    index = directory.index
    return {
        "directory": directory.path,
        "index": {
            "lines": index.line_count,
            "bytes": index.file.size,
            "loaded_lines": index.loaded_lines,
            "loaded_bytes": index.loaded_bytes,
            "cut_lines": index.loaded.cut_lines,
            "given": mask(index.loaded.agent_text),
            "entries": [
                {"line": entry.line, "title": entry.title, "file": entry.target, "hook": mask(entry.hook)}
                for entry in index.entries
            ],
        },
        "files": [_file(file, directory) for file in directory.files],
    }


def _file(file: MemoryFile, directory: MemoryDirectory) -> dict[str, Any]:
    return {
        "file": file.name,
        "kind": file.kind,
        "type": file.type,
        "name": file.title,
        "description": mask(file.description),
        "bytes": file.size,
        "modified": file.modified_at.isoformat(),
        "origin_session": file.origin_session or None,
        "links": [link.target for link in file.links],
        "loaded": file.name in directory.index.loaded_targets,
        "problems": [problem.message for problem in file.problems],
    }
