"""`lucid check`: is every archived byte still to be had? Stands in for Django's own command of that name."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from inspector.services.runs import Killed, run_perform
from sessions.engine.printing import printable


class Command(BaseCommand):
    help = "Read every archived block back and say what is damaged."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            result = run_perform(kind="check archive")
        except Killed as stop:
            raise CommandError("the check was killed.") from stop
        if options["json"]:
            self.stdout.write(json.dumps(result))
        else:
            self.stdout.write(result["summary"])
            for damage in result["damage"]:
                self.stdout.write(printable(damage))
            for double in result["doubles"]:
                self.stdout.write(f"{printable(double['path'])}: stored {len(double['sources'])} times")
        if result["damaged"]:
            raise CommandError("the archive is damaged; the files that are still on disk can be imported anew.")
