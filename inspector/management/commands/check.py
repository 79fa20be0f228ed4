"""`lucid check`: is every archived byte still readable? Replaces Django's own command of that name."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from inspector.checks.services import CHECK, REPAIR
from inspector.runs.services import RunKilled, run_perform
from sessions.text.engine.terminal import printable


class Command(BaseCommand):
    help = "Verify everything in the archive against its hash, and list what is damaged."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--repair", action="store_true", help="restore what the agent's files still hold")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            result = run_perform(kind=REPAIR if options["repair"] else CHECK)
        except RunKilled as stop:
            raise CommandError("the check was killed.") from stop
        if options["json"]:
            self.stdout.write(json.dumps(result))
        else:
            self._say(result)
        if result["damaged"]:
            raise CommandError(_advice(result, repaired=options["repair"]))

    def _say(self, result: dict[str, Any]) -> None:
        self.stdout.write(result["summary"])
        for repair in result["repairs"]:
            self.stdout.write(f"{_place(repair)}: brought back")
        for damage in result["damage"]:
            note = " (repairable)" if damage["repairable"] else ""
            self.stdout.write(f"{_place(damage)}: {printable(damage['what'])}{note}")
        for double in result["doubles"]:
            self.stdout.write(f"{printable(double['path'])}: stored {len(double['sources'])} times")


def _place(damage: dict[str, Any]) -> str:
    session = f"session {damage['session']}, " if damage["session"] else ""
    first, end = damage["range"]
    return printable(f"{session}bytes {first:,} to {end:,} of {damage['path']}")


def _advice(result: dict[str, Any], *, repaired: bool) -> str:
    if result["repairable"] and not repaired:
        return "the archive is damaged; lucid check --repair brings back what is repairable."
    return "the archive is damaged, and no file on disk holds what is missing."
