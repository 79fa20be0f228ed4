"""`lucid recall`: which memories a message would bring into the context, and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from inspector.runs.services import RunError, RunKilled, run_perform
from memory.files.engine.disk import DirectoryGoneError, FileTroubleError, Folder, real_path
from memory.recall.engine import (
    RANKER,
    Choice,
    PreparedRecall,
    Ranker,
    RecallResult,
    RecallState,
    build_documents,
    finish_recall,
    prepare_recall,
    scan_memory,
)
from memory.recall.selectors.runs import price_of
from memory.recall.services.recalls import KIND, parameters_of, read_choice
from sessions.secrets.engine import mask
from sessions.text.engine.terminal import printable
from sessions.text.engine.words import tokens
from sessions.transcripts.engine.paths import encode_path

SMALL = "small"


class Command(BaseCommand):
    help = "Show which memories a message would bring into the context, and why."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("directory", metavar="DIR", type=Path, help="memory directory")
        parser.add_argument("query", metavar="QUERY", help="message to recall for")
        parser.add_argument(
            "--model",
            default="",
            metavar="NAME",
            help=f"model that chooses; `{SMALL}` stands for LUCID_SMALL_MODEL (default: the local ranker)",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        path = real_path(options["directory"])
        try:
            with Folder(path) as folder:
                prepared = prepare_recall(scan_memory(folder), options["query"], RecallState(), now)
                recalled = finish_recall(folder, prepared, self._choice(folder, prepared, path, options), now)
        except DirectoryGoneError as error:
            raise CommandError(printable(f"{encode_path(path)} does not exist.")) from error
        except (FileTroubleError, RunError) as error:
            raise CommandError(printable(str(error))) from error
        except RunKilled as stop:
            raise CommandError("the recall was killed.") from stop
        if options["json"]:
            self.stdout.write(json.dumps(document(recalled)))
        else:
            self._say(recalled)

    def _choice(self, folder: Folder, prepared: PreparedRecall, path: str, options: dict[str, Any]) -> Choice:
        name = settings.MODELS.small if options["model"] == SMALL else options["model"]
        if not name or not prepared.needs_choice:
            now = timezone.now()
            return Ranker(build_documents(folder, prepared.candidates, now)).choose(prepared.message, prepared.names)
        price = price_of(prepared, name)
        self.stderr.write(
            f"Asking {name}: {tokens(price.tokens, estimate=True)} tokens, {price.words}.", style_func=str
        )
        parameters = {**parameters_of(encode_path(path), prepared.message), "model": name}
        return read_choice(run_perform(kind=KIND, target=encode_path(path), parameters=parameters))

    def _say(self, recalled: RecallResult) -> None:
        prepared = recalled.prepared
        scanned = prepared.scan
        older = f"; {scanned.older:,} older ones were not opened" if scanned.older else ""
        self.stdout.write(f"{len(scanned.files):,} of {scanned.total:,} files were considered{older}")
        for passed in scanned.skipped:
            self.stdout.write(f"passed over  {printable(passed.name)}: {printable(passed.why)}")
        if prepared.why_not or recalled.choice.problem:
            self.stdout.write(prepared.why_not or recalled.choice.problem)
        elif not recalled.choice.chosen:
            self.stdout.write(f"Nothing fits. Asked: {printable(recalled.choice.by)}")
        for choice in recalled.choice.chosen:
            score = f"  {choice.score:.2f}" if choice.score is not None else ""
            self.stdout.write(f"{printable(choice.name)}{score}  {printable(mask(choice.why))}")
        for refused in recalled.choice.refused:
            self.stdout.write(f"left out  {printable(refused)}")
        for memory in recalled.missing:
            self.stdout.write(f"{printable(memory.name)}: {printable(memory.why)}")
        for line in mask(recalled.text).splitlines():
            self.stdout.write(printable(line))


def document(recalled: RecallResult) -> dict[str, Any]:
    """`selected`: the injected memories; `missing`: memories that were chosen but are gone."""
    prepared, scanned = recalled.prepared, recalled.prepared.scan
    chosen = {choice.name: choice for choice in recalled.choice.chosen}
    return {
        "considered": len(prepared.candidates),
        "selected": [
            {
                "file": memory.name,
                "why": mask(chosen[memory.name].why),
                "score": chosen[memory.name].score,
                "bytes": memory.bytes,
                "age": memory.age,
                "cut": memory.cut or None,
            }
            for memory in recalled.injected
        ],
        "model": recalled.choice.by,
        "local": recalled.choice.by == RANKER,
        "why_not": prepared.why_not or None,
        "problem": recalled.choice.problem or None,
        "refused": list(recalled.choice.refused),
        "missing": [{"file": memory.name, "why": memory.why} for memory in recalled.missing],
        "passed": [{"file": file.name, "why": file.why} for file in scanned.skipped],
        "found": scanned.total,
        "text": mask(recalled.text),
    }
