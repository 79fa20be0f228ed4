"""`lucid backup FILE`: the whole home in one file, made while the server runs, and read back before it has its name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from inspector.backup.errors import BackupError
from inspector.services.backup.make import Made, backup_make
from inspector.services.backup.telling import Telling, reason, tables_in, trouble
from inspector.startup.home import prepare_home, unwritable
from sessions.engine.paths import kept
from sessions.engine.printing import printable
from sessions.engine.words import plural, size


class Command(BaseCommand):
    help = "Write everything that this home holds to one file, while the server runs, and read it back."
    needs_database = False
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, help="where to write it; only you can read it")
        parser.add_argument("--replace", action="store_true", help="replace FILE if it is there already")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"].expanduser().absolute()
        try:
            prepare_home(settings.LUCID_HOME)
        except OSError as error:
            raise CommandError(unwritable(settings.LUCID_HOME, error)) from error
        with Telling() as telling:
            try:
                made = backup_make(path=path, replace=options["replace"], progress=telling)
            except BackupError as error:
                raise CommandError(str(error)) from error
            except OSError as error:
                raise CommandError(trouble(error, str(path.parent))) from error
            except DatabaseError as error:
                raise CommandError(f"the database cannot be read ({reason(error)}); no backup was made.") from error
        if not made.noted:
            self.stderr.write("The backup is made, but the home cannot be written to and does not remember it.")
        if made.manifest.owed:
            files = plural(made.manifest.owed, "file")
            self.stderr.write(f"An import is under way: the bytes of {files} are not archived yet, and not in here.")
        self.stdout.write(json.dumps(_as_json(made)) if options["json"] else _sentence(made))


def _as_json(made: Made) -> dict[str, Any]:
    return {
        "path": kept(made.path),
        "bytes": made.bytes,
        "tables": tables_in(made.manifest),
        "files": made.manifest.files,
        "not_yet_archived": made.manifest.owed,
        "seconds": round(made.seconds, 3),
        "verified": True,
    }


def _sentence(made: Made) -> str:
    rows = plural(sum(tables_in(made.manifest).values()), "row")
    files = plural(made.manifest.files, "file")
    return f"{printable(str(made.path))} holds {rows} and {files} in {size(made.bytes)}, and was read back."
