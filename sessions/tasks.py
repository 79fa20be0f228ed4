"""The work of workers for a shared import."""

from __future__ import annotations

from celery import shared_task

from sessions.imports.services.shared.portion_reader import PortionReader

TURN_SECONDS = 20.0
"""After this, other runs in the queue get their turn."""
WANTED_SECONDS = 60


@shared_task(name="sessions.help_import")
def help_import(shared_import: int) -> None:
    if PortionReader(shared_import).read(seconds=TURN_SECONDS):
        help_import.apply_async(args=(shared_import,), expires=WANTED_SECONDS)
