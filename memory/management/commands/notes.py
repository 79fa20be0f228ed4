"""`lucid notes`: the notes of a session, and whether they are due."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from inspector.agents.choosing import MECHANICAL
from inspector.runs.services import RunKilled, run_perform
from inspector.runs.services.stops import RunError
from memory.models import NotesUpdate
from memory.notes.engine import DueCheck
from memory.notes.selectors.notes import FILE, NotesSituation, own_directory
from memory.notes.services.runs import KIND, notes_parameters
from sessions.imports.services.named_transcript import SESSION_HELP, transcript_open
from sessions.models import Transcript
from sessions.text.engine.terminal import printable
from sessions.transcripts.selectors.lookup import LookupFailedError


class Command(BaseCommand):
    help = "Show the notes of a session, or update them."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("session", metavar="SESSION", help=SESSION_HELP)
        parser.add_argument("--update", action="store_true", help="update the notes, whether they are due or not")
        parser.add_argument(
            "--model",
            default=MECHANICAL,
            metavar="NAME",
            help="model that takes the notes, with --update (default: %(default)s, which asks no model)",
        )
        parser.add_argument(
            "--into-agent",
            action="store_true",
            help="write them where the agent keeps its own, not in the home of Lucid",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            transcript = transcript_open(name=options["session"])
            before = NotesSituation(transcript).due
            update = self._update(transcript, options) if options["update"] else None
        except (LookupFailedError, RunError) as error:
            raise CommandError(str(error)) from error
        except RunKilled as stop:
            raise CommandError("the update of the notes was killed.") from stop
        situation = NotesSituation(transcript)
        if options["json"]:
            self.stdout.write(json.dumps(document(situation, before, update)))
        else:
            self._say(situation, before)

    def _update(self, transcript: Transcript, options: dict[str, Any]) -> NotesUpdate:
        parameters = notes_parameters(transcript, options["model"], into_agent=options["into_agent"])
        result = run_perform(kind=KIND, target=transcript.public_id, parameters=parameters)
        return NotesUpdate.objects.get(pk=result["notes"])

    def _say(self, situation: NotesSituation, before: DueCheck) -> None:
        newest = situation.newest
        if newest is None:
            self.stdout.write("There are no notes of this session.")
        else:
            self.stdout.write(printable(f"{newest.path}, {newest.source}"))
            for section in situation.sections:
                self.stdout.write(f"{f'~{section.tokens:,}':>7}  {printable(section.title)}")
        for warning in situation.warnings:
            self.stdout.write(printable(warning))
        self.stdout.write(f"{'Due' if before.is_due else 'Not due'}: {before.why}")


def document(situation: NotesSituation, before: DueCheck, update: NotesUpdate | None) -> dict[str, Any]:
    """`due` and `why`: the state before an update."""
    newest = situation.newest
    return {
        "session": situation.transcript.public_id,
        "path": str(newest.path if newest else own_directory(situation.transcript) / FILE),
        "due": before.is_due,
        "why": before.why,
        "sections": {section.title: section.tokens for section in situation.sections},
        "updated": datetime.fromtimestamp(newest.modified, UTC).isoformat() if newest else None,
        "source": newest.source if newest else None,
        "warnings": list(situation.warnings),
        **({"run": update.run_id, "status": "completed", "put_back": update.repairs} if update else {}),
    }
