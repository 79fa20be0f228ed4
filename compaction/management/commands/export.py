"""`lucid export`: a compaction as a new session that the agent can resume."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from compaction.export.services import ExportError, compaction_export
from compaction.kinds.selectors import CompactionMissingError, compaction_get
from inspector.web.clock import now_ms
from sessions.text.engine.terminal import printable


class Command(BaseCommand):
    help = "Write a compaction as a session that the agent can resume."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", metavar="RUN", help="number of the run, as `lucid compact` prints it")
        parser.add_argument(
            "--to", required=True, type=Path, metavar="DIR", help="project directory of the agent to write it to"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            export = compaction_export(
                compaction=compaction_get(options["run"]), directory=options["to"], now_ms=now_ms()
            )
        except (CompactionMissingError, ExportError) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps({"path": str(export.path), "session_id": export.session_id}))
        else:
            self.stdout.write(f"{printable(str(export.path))}\n`claude --resume {export.session_id}` goes on from it.")
