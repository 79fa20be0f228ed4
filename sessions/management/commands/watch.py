"""`manage.py watch`: import what is there, then follow the files as the agent writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from sessions.services.watch import watch


class Command(BaseCommand):
    help = "Import all sessions, then keep up with the files as they grow."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--path", type=Path, default=None, help="a configuration directory")

    def handle(self, *args: Any, **options: Any) -> None:
        watch(options["path"] or Path(settings.CLAUDE_CONFIG_DIR))
