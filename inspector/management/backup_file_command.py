"""The common parts of `lucid backup` and `lucid restore`."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from inspector.backup.format.errors import BackupError
from inspector.backup.services.progress_line import ProgressLine, disk_error_sentence
from inspector.startup.home import prepare_home, unwritable
from inspector.web.database_errors import reason_of
from inspector.web.disk_errors import FULL, has_no_room, is_full


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The result, for a script and for a person."""

    document: dict[str, Any]
    sentence: str


class BackupFileCommand(BaseCommand, ABC):
    needs_database = False
    requires_system_checks: list[str] = []
    file_help = ""
    replace_help = ""
    database_failure = ""
    """A sentence with a placeholder for the reason."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, help=self.file_help)
        parser.add_argument("--replace", action="store_true", help=self.replace_help)
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"].expanduser().absolute()
        try:
            prepare_home(settings.LUCID_HOME)
        except OSError as error:
            raise CommandError(unwritable(settings.LUCID_HOME, error)) from error
        with ProgressLine() as progress:
            try:
                result = self.transfer(path, options["replace"], progress)
            except BackupError as error:
                raise CommandError(str(error)) from error
            except OSError as error:
                raise CommandError(disk_error_sentence(error, str(self.written_to(path)))) from error
            except DatabaseError as error:
                full = is_full(error) or has_no_room(settings.LUCID_HOME)
                raise CommandError(FULL if full else self.database_failure.format(reason_of(error))) from error
        self.stdout.write(json.dumps(result.document) if options["json"] else result.sentence)

    @abstractmethod
    def transfer(self, path: Path, replace: bool, progress: Callable[[str, int], None]) -> CommandResult: ...

    @abstractmethod
    def written_to(self, path: Path) -> Path:
        """The folder that needs free space."""
