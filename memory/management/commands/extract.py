"""`lucid extract`: what a model would remember of a session, as a proposal."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.http import Http404

from inspector.agents.choosing import CONFIGURED
from inspector.runs.models import Run
from inspector.runs.services import RunKilled, run_perform
from inspector.runs.services.stops import RunError
from memory.extraction.services.runs import KIND, extraction_parameters, extraction_require_model
from memory.management.proposal_diff import format_diff
from memory.models import Proposal
from memory.proposals.selectors.proposals import FileProposal, proposal_files
from sessions.imports.services.named_transcript import SESSION_HELP, transcript_open
from sessions.models import Transcript
from sessions.text.engine.terminal import printable
from sessions.timeline.selectors.entries import find_entry
from sessions.transcripts.selectors.lookup import LookupFailedError


class Command(BaseCommand):
    help = "Have a model propose what is worth remembering from a session."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("session", metavar="SESSION", help=SESSION_HELP)
        parser.add_argument(
            "--from",
            dest="first",
            default="",
            metavar="ENTRY",
            help="start at this entry, a uuid or a line such as L12 (default: where the last extraction ended)",
        )
        parser.add_argument(
            "--to",
            dest="last",
            default="",
            metavar="ENTRY",
            help="stop after this entry (default: the end); without --from, start at the beginning",
        )
        parser.add_argument(
            "--model", default=CONFIGURED, metavar="NAME", help="model to ask (default: the setting LUCID_MODEL)"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            transcript = transcript_open(name=options["session"])
            extraction_require_model(transcript)
            first, last = (_position(transcript, options[name]) for name in ("first", "last"))
            parameters = extraction_parameters(transcript, options["model"], first, last)
            result = run_perform(kind=KIND, target=transcript.public_id, parameters=parameters)
        except (LookupFailedError, RunError, Http404) as error:
            raise CommandError(str(error)) from error
        except RunKilled as stop:
            raise CommandError("the extraction was killed.") from stop
        proposal = Proposal.objects.filter(pk=result["proposal"]).first()
        files = proposal_files(proposal) if proposal else []
        if options["json"]:
            run = Run.objects.filter(kind=KIND, target=transcript.public_id).latest("pk")
            self.stdout.write(json.dumps(document(run, result, files)))
            return
        self.stdout.write(printable(result["summary"]))
        for file in files:
            self.stdout.write("\n" + "\n".join(map(printable, format_diff(file).splitlines())))
        if proposal is not None:
            self.stdout.write(f"\nNothing has been written: /memory/proposals/{proposal.pk}/ waits for a decision.")


def document(run: Run, result: dict[str, Any], files: list[FileProposal]) -> dict[str, Any]:
    return {
        "run": run.pk,
        "status": run.status,
        "summary": result["summary"],
        "id": result["proposal"],
        "proposal": [
            {"file": file.row.name, "action": file.row.action, "diff": format_diff(file), "reason": file.row.reason}
            for file in files
        ],
    }


def _position(transcript: Transcript, address: str) -> int | None:
    if not address:
        return None
    owner, entry = find_entry(transcript, address)
    if owner != transcript:
        raise LookupFailedError(f"{address} is an entry of {owner.public_id}, not of this session.")
    return entry.position
