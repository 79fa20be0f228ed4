"""`lucid memory lint`: what is wrong with a memory directory."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import OutputWrapper
from django.utils import timezone

from memory.chain.engine import build_chain
from memory.files.engine.reading import MemoryDirectory
from memory.lint.engine import Finding, FolderCheckout, Health, Surroundings, compute_health, lint
from memory.management.verbs.verb import directory_at
from sessions.text.engine.terminal import printable

HELP = "List what is wrong with a memory directory, without asking a model."
NEEDS_DATABASE = False


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("directory", metavar="DIR", type=Path, help="memory directory")
    parser.add_argument(
        "--project",
        metavar="DIR",
        type=Path,
        help="checkout of the project, to look up files and functions that memory names",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(options: dict[str, Any], out: OutputWrapper) -> None:
    directory = directory_at(options["directory"])
    findings = lint(directory, _surroundings(options["project"]))
    well = compute_health(directory, findings)
    if options["json"]:
        out.write(json.dumps(_document(directory, findings, well)))
        return
    for finding in findings:
        place = f"{finding.file or 'the directory'}{f':{finding.line}' if finding.line else ''}"
        out.write(f"{finding.severity}  {printable(place)}  {finding.rule}: {printable(finding.message)}")
        if finding.fix:
            out.write(f"    fix: {printable(finding.fix.label)}")
    index = directory.index
    loaded = f"{index.loaded_lines:,} of {index.line_count:,} lines of the index are loaded"
    out.write(f"{len(directory.files):,} files; {loaded}; health {well.score} of 100")


def _surroundings(project: Path | None) -> Surroundings:
    if project is None:
        return Surroundings(now=timezone.now())
    project = project.resolve()
    chain = build_chain(project, config=Path(settings.CLAUDE_CONFIG_DIR), home=Path.home(), project=project)
    instructions = {file.path: file.agent_text for file in chain.files}
    return Surroundings(now=timezone.now(), instructions=instructions, checkout=FolderCheckout(project))


def _document(directory: MemoryDirectory, findings: list[Finding], well: Health) -> dict[str, Any]:
    index = directory.index
    return {
        "directory": directory.path,
        "files": len(directory.files),
        "index": {
            "lines": index.line_count,
            "bytes": index.file.size,
            "loaded_lines": index.loaded_lines,
            "loaded_bytes": index.loaded_bytes,
        },
        "health": {"score": well.score, "formula": well.formula, "sum": well.sum},
        "findings": [
            {
                "rule": finding.rule,
                "file": finding.file,
                "line": finding.line,
                "severity": finding.severity,
                "message": finding.message,
                "others": finding.others,
                "fix": finding.fix.label if finding.fix else None,
            }
            for finding in findings
        ],
    }
