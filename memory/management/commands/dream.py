"""`lucid dream`: consolidates a memory directory on a copy, and prints what it proposes."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from inspector.agents.choosing import MECHANICAL, choice_of
from inspector.runs.services import RunError, RunKilled, run_perform
from inspector.web.clock import now_ms
from memory.dreams.engine.gates import Gate, find_closed_gate
from memory.dreams.selectors.gates import LockUnreadableError, load_situation
from memory.dreams.services import DREAM, TIDY, dream_run
from memory.dreams.services.dream_agent import NO_MODEL
from memory.dreams.services.dream_lock import dreams_clean_up
from memory.files.services.writing import directory_register
from memory.management.proposal_diff import format_diff
from memory.models import Directory, Proposal
from memory.proposals.selectors.proposals import FileProposal, proposal_files
from sessions.text.engine.terminal import printable
from sessions.transcripts.engine.paths import encode_path


class Command(BaseCommand):
    help = "Propose a better order for a memory directory: a dream with a model, a tidy without."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("directory", metavar="DIR", help="memory directory")
        parser.add_argument(
            "--model",
            default="",
            metavar="NAME",
            help="model that dreams; mechanical for none (default: LUCID_MODEL if there is an API key, else none)",
        )
        parser.add_argument(
            "--accept",
            action="store_true",
            help="write the proposal, except where a fact would be lost; `lucid memory undo` takes it back",
        )
        parser.add_argument(
            "--accept-losses", action="store_true", help="write the whole proposal, even where facts are lost"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        path = Path(options["directory"])
        if not path.is_dir():
            raise CommandError(f"{printable(str(path))} is no directory.")
        model = _model(options["model"])
        dreams_clean_up()
        directory = directory_register(path=encode_path(path.resolve()))
        try:
            gates = load_situation(directory, enabled=settings.LUCID_DREAMS, now_ms=now_ms()).gates
            if (gate := find_closed_gate(gates, by_hand=True)) is not None:
                self._refuse(gates, gate, options)
                return
            result = self._perform(directory, model, accept=options["accept"], losses=options["accept_losses"])
        except (LockUnreadableError, RunError) as error:
            raise CommandError(str(error)) from error
        except RunKilled as stop:
            raise CommandError("the dream was killed.") from stop
        proposal = Proposal.objects.filter(pk=result["proposal"]).first() if result["proposal"] else None
        files = proposal_files(proposal) if proposal else []
        if options["json"]:
            self.stdout.write(json.dumps(document(gates, result, proposal, files)))
        else:
            self._say(gates, result, proposal, files)
        if result.get("alarm"):
            raise CommandError(printable(result["alarm"]))

    def _perform(self, directory: Directory, model: str, *, accept: bool, losses: bool) -> dict[str, Any]:
        parameters: dict[str, Any] = {"directory": directory.pk, "model": model, **({"forks": True} if model else {})}
        parameters |= {"accept": True} if accept or losses else {}
        parameters |= {"losses": True} if losses else {}
        work = partial(dream_run, announce=self._note) if self.stderr.isatty() else None
        return run_perform(kind=DREAM if model else TIDY, target=directory.path, parameters=parameters, work=work)

    def _refuse(self, gates: tuple[Gate, ...], gate: Gate, options: dict[str, Any]) -> None:
        """--json prints the gates as a document, which is a failure only if the proposal was to be accepted."""
        if options["json"]:
            self.stdout.write(json.dumps(document(gates, {"summary": gate.why}, None, [])))
        if not options["json"] or options["accept"] or options["accept_losses"]:
            raise CommandError(gate.why)

    def _note(self, text: str) -> None:
        self.stderr.write(printable(text), style_func=str)

    def _say(
        self, gates: tuple[Gate, ...], result: dict[str, Any], proposal: Proposal | None, files: list[FileProposal]
    ) -> None:
        for gate in gates:
            self.stdout.write(f"{'open' if gate.open else 'shut'}  {gate.name:8}  {gate.why}")
        self.stdout.write(printable(result["summary"]))
        if proposal:
            facts, verb = proposal.facts, "would be lost" if proposal.status == Proposal.Status.OPEN else "lost"
            counts = ", ".join(f"{facts[key]:,} {key}" for key in ("kept", "merged", "reworded"))
            self.stdout.write(f"Facts: {counts}, {facts['lost']:,} {verb}.")
            for fact in facts["lost_lines"]:
                self.stdout.write(printable(f"{verb}: {fact['file']}:{fact['line']}: {fact['text']}"))
        for fact in result.get("left", []):
            self.stdout.write(printable(f"left as it was: {fact['file']}:{fact['line']}: {fact['text']}"))
        for file in files:
            self.stdout.write(f"\n{file.row.action} {printable(file.row.name)}: {printable(file.row.reason)}")
            for line in format_diff(file).splitlines():
                self.stdout.write(printable(line))


def _model(named: str) -> str:
    """The model that dreams; empty if there is none."""
    choice = choice_of(settings.MODELS)
    if named == MECHANICAL or (not named and choice.kind != "anthropic"):
        return ""
    if choice.kind != "anthropic":
        raise CommandError(NO_MODEL)
    return named or choice.main


def document(
    gates: tuple[Gate, ...], result: dict[str, Any], proposal: Proposal | None, files: list[FileProposal]
) -> dict[str, Any]:
    facts = {key: value for key, value in proposal.facts.items() if key != "lost_lines"} if proposal else {}
    return {
        "gates": [{"name": gate.name, "open": gate.open, "why": gate.why} for gate in gates],
        "run": result.get("run"),
        "status": "completed" if "run" in result else "refused",
        "summary": result["summary"],
        "id": proposal.pk if proposal else None,
        "decision": proposal.status if proposal else None,
        "facts": facts,
        "lost": proposal.facts["lost_lines"] if proposal else [],
        "left": result.get("left", []),
        "proposal": [
            {"file": file.row.name, "action": file.row.action, "reason": file.row.reason, "diff": format_diff(file)}
            for file in files
        ],
    }
