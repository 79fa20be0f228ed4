"""`lucid memory history`: the changes to a memory directory or to one of its files, latest first."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, OutputWrapper

from memory.files.engine.disk import FileTroubleError
from memory.files.services.scanning import memory_follow_one
from memory.files.services.writing import directory_register
from memory.history.selectors.history import (
    HistoryMissingError,
    action_of,
    batches_of,
    batches_versions,
    file_get,
    file_history,
    version_diff,
)
from memory.models import Batch, Directory, Version
from sessions.secrets.engine import mask
from sessions.text.engine.terminal import printable
from sessions.text.engine.timestamps import iso
from sessions.transcripts.engine.paths import encode_path

HELP = "List the changes to a memory directory or one of its files, and who made them."
NEEDS_DATABASE = True
LIMIT = 50


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("directory", metavar="DIR", type=Path, help="memory directory")
    parser.add_argument("file", metavar="FILE", nargs="?", default="", help="file in it; it may be deleted by now")
    parser.add_argument("--diff", action="store_true", help="also print what each version changed")
    parser.add_argument(
        "--limit", type=int, default=LIMIT, metavar="N", help="list at most N changes (default: %(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(options: dict[str, Any], out: OutputWrapper) -> None:
    try:
        directory = directory_register(path=encode_path(options["directory"].absolute()))
        memory_follow_one(directory=directory)
        if options["file"]:
            file = file_get(directory, encode_path(options["file"]))
            rows = [_version(version, options["diff"]) for version in file_history(file)[: options["limit"]]]
        else:
            rows = _batches(directory, options["limit"])
    except (FileTroubleError, HistoryMissingError) as error:
        raise CommandError(printable(str(error))) from error
    if options["json"]:
        out.write(json.dumps(rows))
        return
    for row in rows:
        _tell(row, out)


def _batches(directory: Directory, limit: int) -> list[dict[str, Any]]:
    batches = list(batches_of(directory)[:limit])
    versions = batches_versions(batches)
    return [_batch(batch, versions.get(batch.pk, ())) for batch in batches]


def _batch(batch: Batch, versions: Sequence[Version]) -> dict[str, Any]:
    return {
        "change": batch.pk,
        "at": iso(batch.at),
        "cause": batch.cause,
        "message": mask(batch.message),
        "run": batch.run_id,
        "undoes": batch.undoes_id,
        "files": [
            {"file": version.name, "action": action_of(version), "version": version.number} for version in versions
        ],
    }


def _version(version: Version, diff: bool) -> dict[str, Any]:
    row: dict[str, Any] = {
        "version": version.number,
        "change": version.batch_id,
        "at": iso(version.at),
        "cause": version.cause,
        "file": version.name,
        "action": action_of(version),
        "message": mask(version.batch.message),
        "sha256": version.blob.digest if version.blob else None,
        "bytes": version.blob.size if version.blob else None,
        "session": version.transcript.public_id if version.transcript else None,
        "position": version.position,
        "evidence": version.evidence or None,
        "run": version.batch.run_id,
    }
    if diff:
        lines = [line for hunk in version_diff(version).hunks for line in hunk.lines]
        row["diff"] = [mask(f"{line.kind}{line.text}") for line in lines]
    return row


def _tell(row: dict[str, Any], out: OutputWrapper) -> None:
    files = row.get("files")
    number = f"{row['change']:>6}" if files is not None else f"{row['version']:>4}  (change {row['change']})"
    description = (
        ", ".join(f"{file['action']} {file['file']}" for file in files) if files is not None else _describe_version(row)
    )
    message = f"  {printable(row['message'])}" if row["message"] else ""
    out.write(f"{number}  {row['at']}  {row['cause']:<8} {printable(description)}{message}")
    for line in row.get("diff", ()):
        out.write(f"      {line[:1]}{printable(line[1:])}")


def _describe_version(row: dict[str, Any]) -> str:
    by = f"  by session {row['session']}" if row["session"] else ""
    size = f", {row['bytes']:,} bytes" if row["bytes"] is not None else ""
    return f"{row['action']} {row['file']}{size}{by}"
