"""Files imported into the test database once for a whole module, and taken out again after it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.management import call_command
from django.db import connection
from pytest_django.plugin import DjangoDbBlocker

from sessions.imports.services.report import Report
from sessions.imports.services.sync import sync

NO_TEXT = {
    "sqlite": "INSERT INTO transcripts_text (transcripts_text) VALUES ('delete-all')",
    "postgresql": "TRUNCATE transcripts_text",
}
"""The text index is no model, so that Django does not empty it."""


@contextmanager
def imported(blocker: DjangoDbBlocker, *paths: Path) -> Iterator[Report]:
    """For fixtures of a module; the tests that use it only read."""
    with blocker.unblock():
        report = sync(paths)
    try:
        yield report
    finally:
        with blocker.unblock():
            call_command("flush", interactive=False, verbosity=0, reset_sequences=False)
            with connection.cursor() as cursor:
                cursor.execute(NO_TEXT[connection.vendor])
            connection.close()
