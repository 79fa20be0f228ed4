"""`manage.py watch`: imports everything, then follows the files as the agent writes them."""

from __future__ import annotations

import signal
import threading
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from inspector.runs.selectors.presence import WATCHER as ROLE
from inspector.runs.services.presence import presence_begin
from inspector.runs.services.schedule import schedule_follow
from inspector.watcher.duties import WATCHER
from inspector.watcher.follow import follow


class Command(BaseCommand):
    help = "Import all sessions, then follow the files as they grow."
    requires_system_checks: list[str] = []
    gives_way = True

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--path",
            type=Path,
            metavar="DIR",
            help="configuration directory of the agent (default: the setting CLAUDE_CONFIG_DIR)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        presence_begin(role=ROLE)
        schedule_follow(WATCHER, stop)
        follow(options["path"] or Path(settings.CLAUDE_CONFIG_DIR), stop)
