"""`lucid memory undo`: undoes a batch, or all that a run changed in memory files."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError, OutputWrapper

from memory.files.engine.disk import FileTroubleError
from memory.history.selectors.history import HistoryMissingError, action_of, batch_get, batch_versions, batches_of_run
from memory.history.services.restoration import batch_undo
from memory.models import Batch
from sessions.text.engine.terminal import printable

HELP = "Undo a change that `lucid memory history` lists, or the last change of a run."
NEEDS_DATABASE = True


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("change", metavar="CHANGE", nargs="?", help="number of the change")
    parser.add_argument(
        "--run", metavar="RUN", type=int, help="number of a run: undo its last change that is not undone yet"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(options: dict[str, Any], out: OutputWrapper) -> None:
    if (options["change"] is None) == (options["run"] is None):
        raise CommandError("Give the number of a change, or --run.", returncode=2)
    try:
        batch = batch_get(options["change"]) if options["change"] else _of_run(options["run"])
        undone = batch_undo(batch=batch)
    except (FileTroubleError, HistoryMissingError) as error:
        raise CommandError(printable(str(error))) from error
    files = [{"file": version.name, "action": action_of(version)} for version in batch_versions(undone)]
    if options["json"]:
        out.write(json.dumps({"change": undone.pk, "undoes": batch.pk, "files": files}))
        return
    out.write(f"Change {batch.pk} is undone by change {undone.pk}:")
    for file in files:
        out.write(f"  {file['action']} {printable(file['file'])}")


def _of_run(number: int) -> Batch:
    batch = batches_of_run(number).filter(undone_by=None).first()
    if batch is None:
        raise HistoryMissingError(f"Run {number} has changed no memory that is not undone.")
    return batch
