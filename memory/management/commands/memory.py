"""`lucid memory VERB`: what can be done with a memory directory."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from memory.management.verbs import lint, show
from memory.management.verbs.verb import Verb

VERBS: dict[str, Verb] = {"lint": lint, "show": show}


class Command(BaseCommand):
    help = "Look at a memory directory: lint, show."
    needs_database = False
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
        for name, verb in VERBS.items():
            verb.add_arguments(verbs.add_parser(name, help=verb.HELP, description=verb.HELP))

    def handle(self, *args: Any, **options: Any) -> None:
        VERBS[options["verb"]].run(options, self.stdout)
