"""`lucid memory VERB`: what can be done with a memory directory."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from memory.management.verbs import history, lint, show, undo
from memory.management.verbs.verb import Verb

VERBS: dict[str, Verb] = {"lint": lint, "show": show, "history": history, "undo": undo}


class Command(BaseCommand):
    help = "Inspect a memory directory, and undo changes to it."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
        for name, verb in VERBS.items():
            parser = verbs.add_parser(name, help=verb.HELP, description=verb.HELP)
            parser.set_defaults(needs_database=verb.NEEDS_DATABASE)
            verb.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        VERBS[options["verb"]].run(options, self.stdout)
