"""`lucid import`: read transcripts into the archive."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from sessions.imports.engine.discovery import PathMissingError
from sessions.imports.engine.names import WAITING
from sessions.imports.services.report import Progress, Report
from sessions.imports.services.sync import sync
from sessions.text.engine.terminal import printable
from sessions.text.engine.words import plural

PATH_HELP = "transcript, project directory or configuration directory (default: the setting CLAUDE_CONFIG_DIR)"


class Command(BaseCommand):
    help = "Import transcripts into the archive."
    requires_system_checks: list[str] = []
    gives_way = True
    _waits = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help=PATH_HELP)
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        paths = options["paths"] or [Path(settings.CLAUDE_CONFIG_DIR)]
        is_terminal = sys.stderr.isatty()
        try:
            report = sync(paths, listener=self._show if is_terminal else self._say_once)
        except PathMissingError as error:
            raise CommandError(str(error)) from error
        if is_terminal:
            self.stderr.write("")
        if options["json"]:
            self.stdout.write(json.dumps(report.to_json()))
        else:
            self._say(report)
        if report.failed:
            raise CommandError(_failure(report.failed))

    def _say_once(self, progress: Progress) -> None:
        """Reports once that the import waits."""
        if progress.phase == WAITING and not self._waits:
            self._waits = True
            self.stderr.write("another Lucid imports; waiting")

    def _show(self, progress: Progress) -> None:
        if progress.phase == WAITING:
            self._say_once(progress)
            return
        self.stderr.write(
            f"\r{progress.files}/{progress.files_total} files, {progress.bytes / 1e6:.0f} of"
            f" {progress.bytes_total / 1e6:.0f} MB, {progress.entries} entries ",
            ending="",
        )
        self.stderr.flush()

    def _say(self, report: Report) -> None:
        self.stdout.write(
            f"{report.files} files, {report.bytes / 1e6:.1f} MB, {report.entries} entries"
            f" ({report.new_entries} new), {report.bad_lines} broken lines, in {report.seconds:.1f} s."
        )
        for path in report.skipped:
            self.stdout.write(f"not a transcript: {printable(path)}")
        for failure in report.failed:
            self.stdout.write(f"could not read {printable(failure)}")


def _failure(failed: list[str]) -> str:
    more = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
    return f"{plural(len(failed), 'file')} could not be read: {printable(failed[0])}{more}"
