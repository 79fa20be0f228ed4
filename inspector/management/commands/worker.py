from __future__ import annotations

import os
import sys
import warnings
from argparse import ArgumentParser
from typing import Any

from celery.exceptions import SecurityWarning
from django.conf import settings
from django.core.management.base import BaseCommand

from inspector import logs
from inspector.celery import app


class Command(BaseCommand):
    help = "Start one more worker for background runs; `lucid serve` starts one of its own."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--concurrency",
            type=int,
            default=2,
            metavar="N",
            help="work on up to N runs at a time (default: %(default)s)",
        )

    def handle(self, *, concurrency: int, **_: Any) -> None:
        logs.show_on_console(settings.LUCID_LOG_LEVEL)
        # Celery warns about root because of pickled messages; ours are JSON.
        warnings.simplefilter("ignore", SecurityWarning)
        # Celery would make Django check the addresses of all pages, which loads every view.
        os.environ["CELERY_SKIP_CHECKS"] = "1"
        # Threads start at once, share the memory of one process, and die with it.
        worker = app.Worker(
            pool_cls="threads",
            concurrency=concurrency,
            without_gossip=True,
            without_mingle=True,
            without_heartbeat=True,
            loglevel=settings.LUCID_LOG_LEVEL,
            quiet=True,
        )
        worker.start()
        sys.exit(worker.exitcode)
